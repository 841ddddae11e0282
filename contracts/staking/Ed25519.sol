// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {sha512} from './Sha512.sol';

// Curve25519 in its Edwards form (RFC 8032 section 5.1): the prime of its field, the order of its group, 2d, the root of -1,
// and its base point.
uint256 constant FIELD = 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed;
uint256 constant ORDER = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed;
uint256 constant CURVE_D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3;
uint256 constant TWICE_D = 0x2406d9dc56dffce7198e80f2eef3d13000e0149a8283b156ebd69b9426b2f159;
uint256 constant ROOT_OF_MINUS_ONE = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0;
uint256 constant BASE_X = 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a;
uint256 constant BASE_Y = 0x6666666666666666666666666666666666666666666666666666666666666658;

/// Whether a signature (RFC 8032) of a 32-byte message is valid, for proofs of consensus keys (D83). As strict as OpenSSL:
/// canonical numbers, no cofactor. A key of small order, for which anybody can make signatures, is refused.
function verifyEd25519(bytes32 publicKey, bytes32 r, bytes32 s, bytes32 message) view returns (bool) {
    uint256 scalar = reversed(uint256(s));
    if (scalar >= ORDER) return false;
    (bool isPoint, uint256 x, uint256 y) = decodePoint(publicKey);
    if (!isPoint || isSmall(x, y)) return false;
    (uint256 high, uint256 low) = sha512(r, publicKey, message);
    // The digest is a number of 512 bits, the least significant byte first.
    uint256 carry = addmod(type(uint256).max % ORDER, 1, ORDER);
    uint256 challenge = addmod(reversed(high), mulmod(reversed(low), carry, ORDER), ORDER);
    return sumOfProducts(scalar, challenge, FIELD - x, y) == r;
}

/// The bytes of a word in the other order.
function reversed(uint256 word) pure returns (uint256) {
    unchecked {
        uint256 mask = 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
        word = ((word >> 8) & mask) | ((word & mask) << 8);
        mask = 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
        word = ((word >> 16) & mask) | ((word & mask) << 16);
        mask = 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
        word = ((word >> 32) & mask) | ((word & mask) << 32);
        mask = 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
        word = ((word >> 64) & mask) | ((word & mask) << 64);
        return (word >> 128) | (word << 128);
    }
}

/// A power in the field, by the precompile of EIP-198.
function powerOf(uint256 base, uint256 exponent) view returns (uint256 result) {
    (bool isDone, bytes memory output) =
        address(5).staticcall(abi.encode(32, 32, 32, base, exponent, FIELD));
    if (isDone && output.length == 32) result = abi.decode(output, (uint256));
}

/// The point that 32 bytes encode (RFC 8032 section 5.1.3).
function decodePoint(bytes32 encoded) view returns (bool isPoint, uint256 x, uint256 y) {
    unchecked {
        uint256 number = reversed(uint256(encoded));
        y = number & (type(uint256).max >> 1);
        if (y >= FIELD) return (false, 0, 0);
        uint256 square = mulmod(y, y, FIELD);
        uint256 u = addmod(square, FIELD - 1, FIELD);
        uint256 v = addmod(mulmod(CURVE_D, square, FIELD), 1, FIELD);
        uint256 v3 = mulmod(mulmod(v, v, FIELD), v, FIELD);
        uint256 v7 = mulmod(mulmod(v3, v3, FIELD), v, FIELD);
        x = mulmod(mulmod(u, v3, FIELD), powerOf(mulmod(u, v7, FIELD), (FIELD - 5) / 8), FIELD);
        uint256 found = mulmod(v, mulmod(x, x, FIELD), FIELD);
        if (found != u) {
            if (addmod(found, u, FIELD) != 0) return (false, 0, 0);
            x = mulmod(x, ROOT_OF_MINUS_ONE, FIELD);
        }
        if (x == 0 && number >> 255 == 1) return (false, 0, 0);
        if (x & 1 != number >> 255) x = FIELD - x;
        return (true, x, y);
    }
}

/// Whether eight times a point is the neutral element.
function isSmall(uint256 x, uint256 y) pure returns (bool) {
    uint256[4] memory point = [x, y, 1, mulmod(x, y, FIELD)];
    for (uint256 i = 0; i < 3; i++) doublePoint(point);
    return point[0] == 0;
}

/// scalar * base point + factor * (x, y), encoded. Both products are made at once, bit by bit.
function sumOfProducts(uint256 scalar, uint256 factor, uint256 x, uint256 y) view returns (bytes32) {
    uint256[4] memory sum = [BASE_X, BASE_Y, 1, mulmod(BASE_X, BASE_Y, FIELD)];
    uint256[4] memory base = addend(sum);
    uint256[4] memory other = addend([x, y, 1, mulmod(x, y, FIELD)]);
    addPoint(sum, other);
    uint256[4] memory both = addend(sum);
    (sum[0], sum[1], sum[2], sum[3]) = (0, 1, 1, 0);
    for (uint256 bit = 1 << 252; bit != 0; bit >>= 1) {
        doublePoint(sum);
        if (scalar & bit != 0) addPoint(sum, factor & bit != 0 ? both : base);
        else if (factor & bit != 0) addPoint(sum, other);
    }
    uint256 inverse = powerOf(sum[2], FIELD - 2);
    uint256 sign = mulmod(sum[0], inverse, FIELD) & 1;
    return bytes32(reversed(mulmod(sum[1], inverse, FIELD) | (sign << 255)));
}

/// A point (X, Y, Z, T) as the second operand of `addPoint`: (Y - X, Y + X, 2dT, 2Z).
function addend(uint256[4] memory point) pure returns (uint256[4] memory) {
    (uint256 x, uint256 y) = (point[0], point[1]);
    return [
        addmod(y, FIELD - x, FIELD),
        addmod(y, x, FIELD),
        mulmod(point[3], TWICE_D, FIELD),
        addmod(point[2], point[2], FIELD)
    ];
}

/// Doubles a point in extended coordinates (Hisil, Wong, Carter and Dawson: dbl-2008-hwcd, a = -1).
function doublePoint(uint256[4] memory point) pure {
    assembly ('memory-safe') {
        let x := mload(point)
        let y := mload(add(point, 32))
        let z := mload(add(point, 64))
        let e := addmod(x, y, FIELD)
        e := mulmod(e, e, FIELD)
        x := mulmod(x, x, FIELD)
        y := mulmod(y, y, FIELD)
        let h := sub(FIELD, addmod(x, y, FIELD))
        e := addmod(e, h, FIELD)
        let g := addmod(y, sub(FIELD, x), FIELD)
        z := mulmod(z, z, FIELD)
        let f := addmod(g, sub(FIELD, addmod(z, z, FIELD)), FIELD)
        mstore(point, mulmod(e, f, FIELD))
        mstore(add(point, 32), mulmod(g, h, FIELD))
        mstore(add(point, 64), mulmod(f, g, FIELD))
        mstore(add(point, 96), mulmod(e, h, FIELD))
    }
}

/// Adds a point, given as `addend` makes it, to another one (add-2008-hwcd-3, complete on this curve).
function addPoint(uint256[4] memory point, uint256[4] memory other) pure {
    assembly ('memory-safe') {
        let x := mload(point)
        let y := mload(add(point, 32))
        let a := mulmod(addmod(y, sub(FIELD, x), FIELD), mload(other), FIELD)
        let b := mulmod(addmod(y, x, FIELD), mload(add(other, 32)), FIELD)
        let c := mulmod(mload(add(point, 96)), mload(add(other, 64)), FIELD)
        let d := mulmod(mload(add(point, 64)), mload(add(other, 96)), FIELD)
        let e := addmod(b, sub(FIELD, a), FIELD)
        let f := addmod(d, sub(FIELD, c), FIELD)
        let g := addmod(d, c, FIELD)
        let h := addmod(b, a, FIELD)
        mstore(point, mulmod(e, f, FIELD))
        mstore(add(point, 32), mulmod(g, h, FIELD))
        mstore(add(point, 64), mulmod(f, g, FIELD))
        mstore(add(point, 96), mulmod(e, h, FIELD))
    }
}
