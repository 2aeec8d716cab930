#ifndef ANNALS_CPQ_SHIM_H
#define ANNALS_CPQ_SHIM_H
#include <libpq-fe.h>
#endif
