// Static objects of the virtual GPU's libraries, and those of threads, are never destroyed: programs call CUDA from
// destructors of their own static objects and from handlers of atexit, when ours would be gone. These take the place of
// the C library's functions inside of the library that they are linked into, where destructors are registered by them.
// What is left of a thread is a stack of contexts and one of launch configurations.

extern "C" {
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
[[gnu::visibility("hidden")]] int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
}
