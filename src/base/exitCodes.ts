/** Exit codes of the program beside 0, success, and 1, any other failure. */

/**
 * The store's file is damaged: a restart would meet the same damage, so a supervisor does not restart (D89: EX_DATAERR of
 * sysexits.h).
 */
export const EXIT_DAMAGED = 65
