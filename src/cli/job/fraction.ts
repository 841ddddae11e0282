/** A type of flags. */
import { ValueError, type ValueType } from '../../config/key.ts'

/** A number, 0 or greater. */
export const fraction: ValueType<number> = {
  expects: 'a number, 0 or greater',
  parse(raw) {
    const value = typeof raw === 'string' && /^\d+(?:\.\d+)?$/.test(raw) ? Number(raw) : undefined
    if (value === undefined) throw new ValueError('expected a number, 0 or greater')
    return value
  },
}
