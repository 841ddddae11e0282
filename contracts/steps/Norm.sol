// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// The root mean square norm (docs/arithmetic.md, "Norm"): x / sqrt(mean(x^2) + epsilon) * gain.
library Norm {
    uint256 internal constant SQUARE_BITS = 24;

    /// How far the numbers are shifted before they are squared. `largest` is the largest size of them.
    function shiftOf(uint256 largest) internal pure returns (uint256) {
        unchecked {
            uint256 bits = FixedPoint.bitLength(largest);
            return bits > SQUARE_BITS ? bits - SQUARE_BITS : 0;
        }
    }

    /// 2^60 / root, and `up`, half the bits that the mean was scaled by. Epsilon is Q48.
    function inverseRoot(uint256 squares, uint256 length, uint256 epsilon, uint256 shift)
        internal
        pure
        returns (uint256 inverse, uint256 up)
    {
        unchecked {
            uint256 mean = squares / length + (epsilon >> (2 * shift));
            if (mean == 0) return (0, 0);
            uint256 bits = FixedPoint.bitLength(mean);
            up = bits < 62 ? (62 - bits) >> 1 : 0;
            inverse = (1 << 60) / FixedPoint.squareRoot(mean << (2 * up));
        }
    }

    /// One number of the result. The gain is divided by 2^gainBits.
    function element(int256 x, uint256 shift, uint256 inverse, uint256 up, int256 gain, uint256 gainBits)
        internal
        pure
        returns (int256)
    {
        unchecked {
            int256 unit =
                FixedPoint.shiftRound((FixedPoint.checked(x) >> shift) * int256(inverse), 60 - FixedPoint.FRACTION - up);
            return FixedPoint.clamp(FixedPoint.shiftRound(unit * gain, gainBits));
        }
    }
}
