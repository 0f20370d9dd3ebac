/* The header is C. */
#include "lib/driver/ropewalk.h"

int ropewalk_interface_of_c(void) { return ROPEWALK_INTERFACE; }
