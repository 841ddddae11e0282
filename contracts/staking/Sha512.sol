// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

uint256 constant WORD64 = 0xffffffffffffffff;

/// SHA-512 (FIPS 180-4) of three words, 96 bytes: with its padding that is one block. Returns both halves of the digest.
///
/// Memory after the free pointer: 80 words of the schedule, then 84 of the variable a and 84 of e, each with its three values
/// before the first round. The other variables of a round are those of the rounds before.
function sha512(bytes32 first, bytes32 second, bytes32 third) pure returns (uint256 high, uint256 low) {
    bytes memory k =
        hex"428a2f98d728ae227137449123ef65cdb5c0fbcfec4d3b2fe9b5dba58189dbbc3956c25bf348b538"
        hex"59f111f1b605d019923f82a4af194f9bab1c5ed5da6d8118d807aa98a303024212835b0145706fbe"
        hex"243185be4ee4b28c550c7dc3d5ffb4e272be5d74f27b896f80deb1fe3b1696b19bdc06a725c71235"
        hex"c19bf174cf692694e49b69c19ef14ad2efbe4786384f25e30fc19dc68b8cd5b5240ca1cc77ac9c65"
        hex"2de92c6f592b02754a7484aa6ea6e4835cb0a9dcbd41fbd476f988da831153b5983e5152ee66dfab"
        hex"a831c66d2db43210b00327c898fb213fbf597fc7beef0ee4c6e00bf33da88fc2d5a79147930aa725"
        hex"06ca6351e003826f142929670a0e6e7027b70a8546d22ffc2e1b21385c26c9264d2c6dfc5ac42aed"
        hex"53380d139d95b3df650a73548baf63de766a0abb3c77b2a881c2c92e47edaee692722c851482353b"
        hex"a2bfe8a14cf10364a81a664bbc423001c24b8b70d0f89791c76c51a30654be30d192e819d6ef5218"
        hex"d69906245565a910f40e35855771202a106aa07032bbd1b819a4c116b8d2d0c81e376c085141ab53"
        hex"2748774cdf8eeb9934b0bcb5e19b48a8391c0cb3c5c95a634ed8aa4ae3418acb5b9cca4f7763e373"
        hex"682e6ff3d6b2b8a3748f82ee5defb2fc78a5636f43172f6084c87814a1f0ab728cc702081a6439ec"
        hex"90befffa23631e28a4506cebde82bde9bef9a3f7b2c67915c67178f2e372532bca273eceea26619c"
        hex"d186b8c721c0c207eada7dd6cde0eb1ef57d4f7fee6ed17806f067aa72176fba0a637dc5a2c898a6"
        hex"113f9804bef90dae1b710b35131c471b28db77f523047d8432caab7b40c724933c9ebe0a15c9bebc"
        hex"431d67c49c100d4c4cc5d4becb3e42b6597f299cfc657e2a5fcb6fab3ad6faec6c44198c4a475817";
    assembly ('memory-safe') {
        function put(at, word) {
            mstore(at, shr(192, word))
            mstore(add(at, 32), and(shr(128, word), WORD64))
            mstore(add(at, 64), and(shr(64, word), WORD64))
            mstore(add(at, 96), and(word, WORD64))
        }
        // Four variables of the chaining value, the last one first.
        function putBackwards(at, word) {
            mstore(at, and(word, WORD64))
            mstore(add(at, 32), and(shr(64, word), WORD64))
            mstore(add(at, 64), and(shr(128, word), WORD64))
            mstore(add(at, 96), shr(192, word))
        }
        // Their sums with what they have become.
        function sums(at, word) -> result {
            result := and(add(mload(at), word), WORD64)
            result := or(result, shl(64, and(add(mload(add(at, 32)), shr(64, word)), WORD64)))
            result := or(result, shl(128, and(add(mload(add(at, 64)), shr(128, word)), WORD64)))
            result := or(result, shl(192, and(add(mload(add(at, 96)), shr(192, word)), WORD64)))
        }
        let w := mload(0x40)
        put(w, first)
        put(add(w, 128), second)
        put(add(w, 256), third)
        // One bit, zeros, and the length in bits.
        put(add(w, 384), or(shl(255, 1), 768))
        for { let at := add(w, 512) } lt(at, add(w, 2560)) { at := add(at, 32) } {
            let x := mload(sub(at, 480))
            let twice := or(x, shl(64, x))
            let sum := xor(xor(shr(1, twice), shr(8, twice)), shr(7, x))
            x := mload(sub(at, 64))
            twice := or(x, shl(64, x))
            sum := add(and(sum, WORD64), and(xor(xor(shr(19, twice), shr(61, twice)), shr(6, x)), WORD64))
            mstore(at, and(add(add(sum, mload(sub(at, 512))), mload(sub(at, 224))), WORD64))
        }
        let a := add(w, 2560)
        let e := add(a, 2688)
        let initialA := 0x6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1
        let initialE := 0x510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179
        putBackwards(a, initialA)
        putBackwards(e, initialE)
        k := add(k, 32)
        for { let i := 0 } lt(i, 2560) { i := add(i, 32) } {
            let at := add(e, i)
            let x := mload(add(at, 96))
            let twice := or(x, shl(64, x))
            // The third term is ch(e, f, g).
            let t := and(xor(xor(shr(14, twice), shr(18, twice)), shr(41, twice)), WORD64)
            t := add(t, xor(and(x, mload(add(at, 64))), and(not(x), mload(add(at, 32)))))
            t := add(add(t, mload(at)), add(mload(add(w, i)), shr(192, mload(add(k, shr(2, i))))))
            let from := add(a, i)
            mstore(add(at, 128), and(add(mload(from), t), WORD64))
            x := mload(add(from, 96))
            twice := or(x, shl(64, x))
            t := add(t, and(xor(xor(shr(28, twice), shr(34, twice)), shr(39, twice)), WORD64))
            let y := mload(add(from, 64))
            let z := mload(add(from, 32))
            // maj(a, b, c)
            t := add(t, xor(xor(and(x, y), and(x, z)), and(y, z)))
            mstore(add(from, 128), and(t, WORD64))
        }
        high := sums(add(a, 2560), initialA)
        low := sums(add(e, 2560), initialE)
    }
}
