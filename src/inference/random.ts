/** Pseudo-random numbers whose bits are the same on every machine. Never for secrets. */

/** A stream of numbers drawn from one seed. */
export type RandomStream = {
  /** The next 32-bit unsigned integer. */
  uint32(): number
  /** The next number of an approximately normal distribution (mean 0, deviation 1). */
  normal(): number
}

/** The stream of a 32-bit seed, by the sfc32 generator, which uses only 32-bit additions, shifts and exclusive ors. */
export function randomStream(seed: number): RandomStream {
  let a = seed | 0
  let b = 0x9e3779b9 | 0
  let c = 0x243f6a88
  let counter = 1
  const uint32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 20; i++) uint32()
  return {
    uint32,
    // The sum of twelve uniform numbers (Irwin-Hall): exact additions, where Math.log and Math.cos may differ by machine.
    normal() {
      let sum = 0
      for (let i = 0; i < 12; i++) sum += uint32() / 0x100000000
      return sum - 6
    },
  }
}
