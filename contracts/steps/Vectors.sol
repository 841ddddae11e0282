// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Segments of vectors in the calldata, as the engine has them in memory: little-endian integers of 8 or 2 bytes. What is
/// computed over a whole vector is a prefix: a segment continues what the one before ended with (D162).
library Vectors {
    uint256 private constant EVERY_8 = 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
    uint256 private constant EVERY_16 = 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
    uint256 private constant EVERY_32 = 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;

    /// The segment is empty, or no multiple of what is read at once.
    error WrongLength(uint256 bytes_, uint256 multiple);

    function checkLength(bytes calldata segment, uint256 multiple) internal pure {
        if (segment.length == 0 || segment.length % multiple != 0) revert WrongLength(segment.length, multiple);
    }

    /// Four numbers of 8 bytes from the calldata, the first one highest.
    function fourLongs(uint256 place) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(place)
        }
        word = ((word & EVERY_8) << 8) | ((word >> 8) & EVERY_8);
        word = ((word & EVERY_16) << 16) | ((word >> 16) & EVERY_16);
        return ((word & EVERY_32) << 32) | ((word >> 32) & EVERY_32);
    }

    /// Sixteen numbers of 2 bytes from the calldata, the first one highest.
    function sixteenShorts(uint256 place) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(place)
        }
        return ((word & EVERY_8) << 8) | ((word >> 8) & EVERY_8);
    }

    /// The largest size of the numbers of a segment (Q24), and of `start`.
    function largest(bytes calldata segment, uint256 start) internal pure returns (uint256 result) {
        unchecked {
            checkLength(segment, 32);
            uint256 place;
            assembly {
                place := segment.offset
            }
            result = start;
            for (uint256 end = place + segment.length; place < end; place += 32) {
                uint256 word = fourLongs(place);
                for (uint256 i = 0; i < 4; i++) {
                    uint256 size = FixedPoint.size(int256(int64(uint64(word))));
                    if (size > result) result = size;
                    word >>= 64;
                }
            }
            FixedPoint.checked(int256(result));
        }
    }

    /// `start` and the sum of (x >> shift)^2 over a segment.
    function squares(bytes calldata segment, uint256 shift, uint256 start) internal pure returns (uint256 sum) {
        unchecked {
            checkLength(segment, 32);
            uint256 place;
            assembly {
                place := segment.offset
            }
            sum = start;
            for (uint256 end = place + segment.length; place < end; place += 32) {
                uint256 word = fourLongs(place);
                for (uint256 i = 0; i < 4; i++) {
                    int256 value = int256(int64(uint64(word))) >> shift;
                    sum += uint256(value * value);
                    word >>= 64;
                }
            }
            if (sum > type(uint64).max) revert FixedPoint.OutOfRange(int256(sum));
        }
    }

    /// The sum of the products of two segments of 2-byte numbers, multiples of 8.
    function dot(bytes calldata a, bytes calldata b) internal pure returns (int256 sum) {
        unchecked {
            checkLength(a, 16);
            if (a.length != b.length) revert WrongLength(b.length, a.length);
            for (uint256 i = 0; i < a.length; i += 16) {
                uint256 first;
                uint256 second;
                assembly {
                    first := add(a.offset, i)
                    second := add(b.offset, i)
                }
                sum += dotEight(sixteenShorts(first) >> 128, sixteenShorts(second) >> 128);
            }
        }
    }

    function dotEight(uint256 a, uint256 b) private pure returns (int256 sum) {
        assembly ("memory-safe") {
            for { let i := 0 } lt(i, 8) { i := add(i, 1) } {
                sum := add(sum, mul(signextend(1, a), signextend(1, b)))
                a := shr(16, a)
                b := shr(16, b)
            }
        }
    }
}
