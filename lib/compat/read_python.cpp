#include "lib/compat/read_python.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "lib/base/error.h"
#include "lib/compat/tables.h"

extern char** environ;

namespace ropewalk::compat {
namespace {

using Tree = nlohmann::ordered_json;  // fields stand in the order of the source

// A python3 that reads sources for as long as the program runs; it ends when its socket is closed.
class Reader {
 public:
  Reader() {
    std::array<int, 2> ends;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("has no socket", errno);
    socket_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    const std::array<const char*, 6> words = {"python3", "-I", "-B", "-c", read_ast_script(), nullptr};
    const int failed = posix_spawnp(&child_, words[0], &actions, nullptr, const_cast<char**>(words.data()), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
      close(socket_);
      fail("cannot be run", failed);
    }
  }
  ~Reader() {
    close(socket_);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // A line for these bytes.
  std::string answer_to(const std::string& question) {
    for (size_t sent = 0; sent < question.size();) {
      const ssize_t size = send(socket_, question.data() + sent, question.size() - sent, MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) fail("ended early", errno);
      sent += size_t(size);
    }
    std::string line;
    std::array<char, 65536> part;
    while (line.empty() || line.back() != '\n') {
      const ssize_t size = recv(socket_, part.data(), part.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) fail("ended early", size < 0 ? errno : 0);
      line.append(part.data(), size_t(size));
    }
    return line;
  }

 private:
  [[noreturn]] static void fail(const char* what, int error) {
    throw NoPython(std::string("python3, which reads Python sources, ") + what +
                   (error ? std::string(": ") + std::strerror(error) : ""));
  }

  int socket_ = -1;
  pid_t child_ = 0;
};

PythonNode node_of(const Tree& json) {
  PythonNode node;
  node.kind = json[0].get<std::string>();
  node.line = json[1].get<u64>();
  node.last_line = json[2].get<u64>();
  node.word = json[3].get<std::string>();
  for (const auto& [field, nodes] : json[4].items()) {
    std::vector<PythonNode>& inner = node.fields.emplace_back(field, std::vector<PythonNode>()).second;
    inner.reserve(nodes.size());
    for (const Tree& one : nodes) inner.push_back(node_of(one));
  }
  write_text(node);
  return node;
}

}  // namespace

std::vector<PythonFile> read_python(const std::vector<const SourceText*>& sources) {
  std::vector<UnreadablePython> unreadable;
  std::vector<PythonFile> files = read_python(sources, unreadable);
  if (!unreadable.empty()) throw InputError(unreadable[0].location, unreadable[0].why);
  return files;
}

std::vector<PythonFile> read_python(const std::vector<const SourceText*>& sources,
                                    std::vector<UnreadablePython>& unreadable) {
  if (sources.empty()) return {};
  Tree sizes = Tree::array();
  for (const SourceText* source : sources) sizes.push_back(source->text.size());
  std::string question = sizes.dump() + "\n";
  for (const SourceText* source : sources) question += source->text;
  static Reader reader;
  const Tree answer = Tree::parse(reader.answer_to(question), nullptr, false);
  if (!answer.is_array() || answer.size() != sources.size()) {
    throw NoPython("python3, which reads Python sources, gave no answer that can be read");
  }
  std::vector<PythonFile> files;
  for (size_t n = 0; n < sources.size(); ++n) {
    if (answer[n].is_object()) {
      const Tree& error = answer[n]["error"];
      unreadable.push_back(
          {n, {sources[n]->path, error[0].get<u64>(), error[1].get<u64>(), ""}, error[2].get<std::string>()});
      files.push_back({sources[n]->path, sources[n]->module, {}});
      continue;
    }
    files.push_back({sources[n]->path, sources[n]->module, {}});
    for (const Tree& statement : answer[n]) files.back().statements.push_back(node_of(statement));
  }
  return files;
}

PythonFile read_python(std::string path, std::string text) {
  const SourceText source{std::move(path), "", std::move(text)};
  return std::move(read_python({&source}).front());
}

}  // namespace ropewalk::compat
