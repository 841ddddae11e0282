// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Rotary positions (docs/arithmetic.md, "Rotation"; D163).
library Rotation {
    uint256 internal constant ANGLE = 22;

    /// Both numbers of a pair, rotated by an angle whose cosine and sine are Q22.
    function rotate(int256 a, int256 b, int256 cos, int256 sin) internal pure returns (int256, int256) {
        unchecked {
            (a, b) = (FixedPoint.checked(a), FixedPoint.checked(b));
            return (round(a * cos - b * sin), round(a * sin + b * cos));
        }
    }

    /// The sum exceeds 63 bits only where angles are multiplied by a gain above 1. A register of the engine wraps then.
    function round(int256 sum) private pure returns (int256) {
        unchecked {
            return FixedPoint.clamp(FixedPoint.wrap(sum + (int256(1) << (ANGLE - 1))) >> ANGLE);
        }
    }
}
