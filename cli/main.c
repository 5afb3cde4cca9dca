#include "lode.h"
int main(void) { return 0; }
