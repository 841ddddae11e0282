/** The fixed part of a block's `size`, the same in both engines (D51). */

/**
 * Bytes of the header facts of block.ts at full width: height, time and two gas values of 8; base fee, parent hash, three
 * roots and prevRandao of 32; two addresses of 20; the bloom of 256.
 */
export const HEADER_SIZE = 4 * 8 + 6 * 32 + 2 * 20 + 256
