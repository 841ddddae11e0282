// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The product of 32 weights with 32 activations, four of them in each multiplication of words.
///
/// A word has four lanes of 64 bits. The product of two words has in its highest lane the sum of the products of their lanes in
/// opposite order; what is above is lost, and no lower lane carries into it. For that, weights are taken plus 128 and activations
/// plus 32,768, and what is too much is subtracted in the end. In assembly, since it is the hot loop of every row.
library Dot {
    uint256 private constant EVERY_8 = 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant EVERY_16 = 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
    uint256 private constant EVERY_32 = 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
    uint256 private constant EVERY_64 = 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
    uint256 private constant ONES_32 = 0x0000000100000001000000010000000100000001000000010000000100000001;
    uint256 private constant BYTE_SIGNS = 0x8080808080808080808080808080808080808080808080808080808080808080;
    /// Of numbers of two bytes, little-endian.
    uint256 private constant SHORT_SIGNS = 0x0080008000800080008000800080008000800080008000800080008000800080;
    /// The lowest byte and the lowest two bytes of each lane, and its bit 32.
    uint256 private constant LOW_8 = 0x00000000000000ff00000000000000ff00000000000000ff00000000000000ff;
    uint256 private constant LOW_16 = 0x000000000000ffff000000000000ffff000000000000ffff000000000000ffff;
    uint256 private constant COUNT = 0x0000000100000000000000010000000000000001000000000000000100000000;

    /// Of 32 signed bytes, the first one highest, and the activations at `place` in the calldata: the sums of the first and the last
    /// 16 products, and the sum of the activations.
    function block32(uint256 weights, uint256 place) internal pure returns (int256 first, int256 second, int256 sum) {
        assembly ("memory-safe") {
            // The sum of the products of 16 weights, plus 128, and activations, plus 32,768; and the sum of the activations.
            function sixteen(w, x) -> products, total {
                x := or(shl(8, and(x, EVERY_8)), and(shr(8, x), EVERY_8))
                total := sub(shr(224, mul(add(and(x, EVERY_16), and(shr(16, x), EVERY_16)), ONES_32)), 0x80000)
                // Four weights to a lane; the lanes of the activations in the opposite order.
                w := and(or(w, shl(64, w)), EVERY_64)
                w := and(or(w, shl(32, w)), EVERY_32)
                x := or(shl(128, x), shr(128, x))
                x := or(shl(64, and(x, EVERY_64)), and(shr(64, x), EVERY_64))
                // Bit 32 of each lane counts the weights.
                products := mul(and(w, LOW_8), or(and(x, LOW_16), COUNT))
                products := add(products, mul(and(shr(8, w), LOW_8), or(and(shr(16, x), LOW_16), COUNT)))
                products := add(products, mul(and(shr(16, w), LOW_8), or(and(shr(32, x), LOW_16), COUNT)))
                products := add(products, mul(and(shr(24, w), LOW_8), or(and(shr(48, x), LOW_16), COUNT)))
                let count := shr(224, products)
                products := sub(sub(and(shr(192, products), 0xffffffff), shl(15, count)), shl(7, total))
            }
            weights := xor(weights, BYTE_SIGNS)
            first, sum := sixteen(shr(128, weights), xor(calldataload(place), SHORT_SIGNS))
            let other
            second, other := sixteen(and(weights, sub(shl(128, 1), 1)), xor(calldataload(add(place, 32)), SHORT_SIGNS))
            sum := add(sum, other)
        }
    }
}
