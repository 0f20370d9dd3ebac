#include "tools/commands/answer.h"
