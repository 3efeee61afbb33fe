/* recorded.h — what a run's record means to this version. */
#ifndef UI_RECORDED_H
#define UI_RECORDED_H

/* What an option is in a run from before it was recorded; NULL = unset, or no option of ours. */
const char *recorded_default(const char *option);

#endif
