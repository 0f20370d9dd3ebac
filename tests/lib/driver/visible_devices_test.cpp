#include "lib/driver/visible_devices.h"

#include <gtest/gtest.h>

namespace ropewalk::driver {
namespace {

using Numbers = std::vector<u32>;

TEST(VisibleDevices, AreAllWhereNoListSaysOtherwise) {
  EXPECT_EQ(visible_devices({}, 3), (Numbers{0, 1, 2}));
  EXPECT_EQ(visible_devices("", 3), Numbers{});
}

TEST(VisibleDevices, HaveTheOrderOfTheListUpToWhatIsNoDevice) {
  EXPECT_EQ(visible_devices("2,0", 3), (Numbers{2, 0}));
  EXPECT_EQ(visible_devices("1", 3), Numbers{1});
  EXPECT_EQ(visible_devices(" 1, 2", 3), (Numbers{1, 2}));
  EXPECT_EQ(visible_devices("1gpu,2", 3), (Numbers{1, 2}));
  EXPECT_EQ(visible_devices("\t+1,-0", 3), (Numbers{1, 0}));
  EXPECT_EQ(visible_devices("4294967298,9999999999,0", 3), Numbers{2});
  EXPECT_EQ(visible_devices("0,-1,1", 3), Numbers{0});
  EXPECT_EQ(visible_devices("0,3,1", 3), Numbers{0});
  EXPECT_EQ(visible_devices("0,none,1", 3), Numbers{0});
  EXPECT_EQ(visible_devices("-1", 3), Numbers{});
  EXPECT_EQ(visible_devices("NoDevFiles", 3), Numbers{});
}

TEST(VisibleDevices, AreRefusedWhereOneIsNamedTwice) {
  EXPECT_EQ(visible_devices("0,1,0", 3), std::nullopt);
  EXPECT_EQ(visible_devices("0 ,+0", 3), std::nullopt);
  EXPECT_EQ(visible_devices(uuid_text(1) + "," + uuid_text(1), 3), std::nullopt);
}

TEST(VisibleDevices, AreNamedByTheirIdsOrByWhatNoOtherIdBeginsWith) {
  EXPECT_EQ(uuid_text(1), "GPU-726f7065-7761-6c6b-2d64-657669636501");
  EXPECT_EQ(visible_devices(uuid_text(2) + "," + uuid_text(0), 3), (Numbers{2, 0}));
  EXPECT_EQ(visible_devices("GPU-726f", 1), Numbers{0});
  EXPECT_EQ(visible_devices("GPU-726f", 3), Numbers{});
  EXPECT_EQ(visible_devices(uuid_text(2) + ",0", 3), Numbers{2});
  EXPECT_EQ(visible_devices("0," + uuid_text(2), 3), Numbers{0});
  EXPECT_EQ(visible_devices("GPU-0123", 3), Numbers{});
  EXPECT_EQ(visible_devices("GPU-", 1), Numbers{});
  EXPECT_EQ(visible_devices("GPU-726F", 1), Numbers{0});
  EXPECT_EQ(visible_devices("GPU-726fx", 1), Numbers{});
  EXPECT_EQ(visible_devices(uuid_text(1) + "x", 3), Numbers{1});
}

}  // namespace
}  // namespace ropewalk::driver
