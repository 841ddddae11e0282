/**
 * The environment of a JavaScript tracer, as in go-ethereum: bigInt, the helpers for bytes, and the objects `log` and
 * `db`. It runs inside QuickJS, on top of `host`, and returns the functions that drive the tracer.
 */
export const PRELUDE = String.raw`(function (host) {
  'use strict'
  const view = (buffer) => new Uint8Array(buffer)
  const digitsOf = (value) => Array.from(value, (byte) => (byte & 255).toString(16).padStart(2, '0')).join('')
  const fromDigits = (text) => {
    const plain = text.replace(/^0x/i, '')
    const even = plain.length % 2 === 1 ? '0' + plain : plain
    return Uint8Array.from(even.match(/../g) || [], (pair) => parseInt(pair, 16))
  }
  const bytesOf = (value) => (typeof value === 'string' ? fromDigits(value) : Uint8Array.from(value))
  const sized = (value, size) => {
    const bytes = bytesOf(value)
    const out = new Uint8Array(size)
    const kept = bytes.subarray(Math.max(0, bytes.length - size))
    out.set(kept, size - kept.length)
    return out
  }
  const bufferOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)

  const native = (value) => (value instanceof BigInteger ? value.value : bigInt(value).value)
  class BigInteger {
    constructor(value) { this.value = value }
    add(other) { return new BigInteger(this.value + native(other)) }
    subtract(other) { return new BigInteger(this.value - native(other)) }
    multiply(other) { return new BigInteger(this.value * native(other)) }
    divide(other) { return new BigInteger(this.value / native(other)) }
    mod(other) { return new BigInteger(this.value % native(other)) }
    divmod(other) { return { quotient: this.divide(other), remainder: this.mod(other) } }
    pow(other) { return new BigInteger(this.value ** native(other)) }
    modPow(exponent, modulus) {
      let [base, left, result] = [this.value % native(modulus), native(exponent), 1n]
      for (; left > 0n; left >>= 1n) {
        if (left & 1n) result = (result * base) % native(modulus)
        base = (base * base) % native(modulus)
      }
      return new BigInteger(result)
    }
    and(other) { return new BigInteger(this.value & native(other)) }
    or(other) { return new BigInteger(this.value | native(other)) }
    xor(other) { return new BigInteger(this.value ^ native(other)) }
    not() { return new BigInteger(~this.value) }
    shiftLeft(count) { return new BigInteger(this.value << native(count)) }
    shiftRight(count) { return new BigInteger(this.value >> native(count)) }
    negate() { return new BigInteger(-this.value) }
    abs() { return new BigInteger(this.value < 0n ? -this.value : this.value) }
    next() { return this.add(1) }
    prev() { return this.subtract(1) }
    square() { return this.multiply(this) }
    compare(other) { const to = native(other); return this.value < to ? -1 : this.value > to ? 1 : 0 }
    equals(other) { return this.compare(other) === 0 }
    notEquals(other) { return this.compare(other) !== 0 }
    lesser(other) { return this.compare(other) < 0 }
    greater(other) { return this.compare(other) > 0 }
    lesserOrEquals(other) { return this.compare(other) <= 0 }
    greaterOrEquals(other) { return this.compare(other) >= 0 }
    isZero() { return this.value === 0n }
    isUnit() { return this.value === 1n || this.value === -1n }
    isNegative() { return this.value < 0n }
    isPositive() { return this.value > 0n }
    isEven() { return this.value % 2n === 0n }
    isOdd() { return this.value % 2n !== 0n }
    bitLength() { return new BigInteger(BigInt(this.value === 0n ? 0 : this.abs().value.toString(2).length)) }
    toJSNumber() { return Number(this.value) }
    valueOf() { return Number(this.value) }
    toString(radix) { return this.value.toString(radix || 10) }
    toJSON() { return this.toString() }
  }
  const names = { add: 'plus', subtract: 'minus', multiply: 'times', divide: 'over', mod: 'remainder',
    compare: 'compareTo', equals: 'eq', notEquals: 'neq', lesser: 'lt', greater: 'gt',
    lesserOrEquals: 'leq', greaterOrEquals: 'geq' }
  for (const [name, other] of Object.entries(names)) BigInteger.prototype[other] = BigInteger.prototype[name]

  function bigInt(value, radix) {
    if (value instanceof BigInteger) return value
    if (value === undefined) return new BigInteger(0n)
    if (typeof value !== 'string' || radix === undefined || Number(radix) === 10) return new BigInteger(BigInt(value))
    const base = BigInt(radix)
    const isNegative = value.startsWith('-')
    let sum = 0n
    for (const digit of isNegative ? value.slice(1) : value) {
      const place = parseInt(digit, 36)
      if (!(place < Number(radix))) throw new Error('Invalid integer: ' + value)
      sum = sum * base + BigInt(place)
    }
    return new BigInteger(isNegative ? -sum : sum)
  }
  bigInt.max = (a, b) => (bigInt(a).geq(b) ? bigInt(a) : bigInt(b))
  bigInt.min = (a, b) => (bigInt(a).leq(b) ? bigInt(a) : bigInt(b))
  bigInt.isInstance = (value) => value instanceof BigInteger
  bigInt.zero = new BigInteger(0n)
  bigInt.one = new BigInteger(1n)
  bigInt.minusOne = new BigInteger(-1n)
  globalThis.bigInt = bigInt
  globalThis.toHex = (value) => '0x' + digitsOf(bytesOf(value))
  globalThis.toWord = (value) => sized(value, 32)
  globalThis.toAddress = (value) => sized(value, 20)
  globalThis.toContract = (from, nonce) => view(host.toContract(bufferOf(sized(from, 20)), String(nonce)))
  globalThis.toContract2 = (from, salt, code) =>
    view(host.toContract2(bufferOf(sized(from, 20)), bufferOf(sized(salt, 32)), bufferOf(bytesOf(code))))
  globalThis.isPrecompiled = (address) => host.isPrecompiled(bufferOf(sized(address, 20)))
  globalThis.slice = (value, start, end) => {
    const bytes = bytesOf(value)
    if (start < 0 || start > end || end > bytes.length)
      throw new Error('Tracer accessed out of bound memory: available ' + bytes.length + ', offset ' + start + ', size ' + (end - start))
    return bytes.slice(start, end)
  }

  const log = {
    op: { toNumber: () => host.opcode(), toString: () => host.opcodeName(), isPush: () => host.opcode() >= 0x5f && host.opcode() <= 0x7f },
    stack: { length: () => host.stackLength(), peek: (index) => new BigInteger(host.stackPeek(index)) },
    memory: {
      length: () => host.memoryLength(),
      slice: (start, end) => view(host.memorySlice(Number(start), Number(end))),
      getUint: (offset) => new BigInteger(BigInt('0x' + digitsOf(view(host.memorySlice(Number(offset), Number(offset) + 32))))),
    },
    contract: {
      getCaller: () => view(host.caller()),
      getAddress: () => view(host.address()),
      getValue: () => new BigInteger(host.value()),
      getInput: () => view(host.input()),
    },
    getPC: () => host.pc(),
    getGas: () => host.gas(),
    getCost: () => host.cost(),
    getDepth: () => host.depth(),
    getRefund: () => host.refund(),
    getError: () => host.error(),
  }
  const db = {
    getBalance: (address) => new BigInteger(host.balance(bufferOf(sized(address, 20)))),
    getNonce: (address) => host.nonce(bufferOf(sized(address, 20))),
    getCode: (address) => view(host.code(bufferOf(sized(address, 20)))),
    getState: (address, slot) => view(host.state(bufferOf(sized(address, 20)), bufferOf(sized(slot, 32)))),
    exists: (address) => host.exists(bufferOf(sized(address, 20))),
  }

  return function (tracer, config) {
    const isFunction = (name) => typeof tracer[name] === 'function'
    for (const name of ['result', 'fault'])
      if (!isFunction(name)) throw new Error('trace object must expose a function ' + name + '()')
    if (isFunction('enter') !== isFunction('exit'))
      throw new Error('trace object must expose either both or none of enter() and exit()')
    if (isFunction('setup')) tracer.setup(config)
    return {
      hasStep: isFunction('step'),
      hasEnter: isFunction('enter'),
      step: () => void tracer.step(log, db),
      fault: () => void tracer.fault(log, db),
      enter: (type, from, to, input, gas, value) => void tracer.enter({
        getType: () => type, getFrom: () => view(from), getTo: () => view(to), getInput: () => view(input),
        getGas: () => gas, getValue: () => (value === undefined ? undefined : new BigInteger(value)),
      }),
      exit: (gasUsed, output, error) => void tracer.exit({
        getGasUsed: () => gasUsed, getOutput: () => view(output), getError: () => error,
      }),
      result: (facts) => {
        const ctx = JSON.parse(facts)
        for (const name of ['from', 'to', 'input', 'output', 'coinbase', 'blockHash', 'txHash'])
          if (ctx[name] !== undefined) ctx[name] = fromDigits(ctx[name])
        for (const name of ['value', 'gasPrice']) ctx[name] = bigInt(ctx[name])
        const result = tracer.result(ctx, db)
        return result === undefined ? 'null' : JSON.stringify(result)
      },
    }
  }
})`
