// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Vectors of Q24 as small integers with a common shift (docs/arithmetic.md, "Quantisation"): x = q * 2^(shift - 24).
library Quantize {
    /// Nothing is quantised to so many bits.
    error WrongBits(uint256 bits);

    /// The shift of a vector. `largest` is the largest size of its numbers; `bits` is 15 for activations, 13 in attention.
    function shiftOf(uint256 largest, uint256 bits) internal pure returns (uint256) {
        checkBits(bits);
        unchecked {
            uint256 length = FixedPoint.bitLength(largest);
            return length > bits ? length - bits : 0;
        }
    }

    /// One number of the vector.
    function element(int256 x, uint256 shift, uint256 bits) internal pure returns (int256 value) {
        checkBits(bits);
        unchecked {
            int256 limit = (int256(1) << bits) - 1;
            value = FixedPoint.shiftRound(FixedPoint.checked(x), shift);
            if (value > limit) return limit;
            if (value < -limit) return -limit;
        }
    }

    function checkBits(uint256 bits) private pure {
        if (bits != 15 && bits != 13) revert WrongBits(bits);
    }
}
