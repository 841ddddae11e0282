// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Numbers} from './Numbers.sol';
import {Powers} from './Powers.sol';
import {Vectors} from './Vectors.sol';

/// The choice of a token (docs/arithmetic.md, "Choice"). Two tokens alone refute a wrong one.
library Choice {
    uint256 private constant MILLION = 1000000;
    uint256 private constant GOLDEN = 0x9e3779b97f4a7c15;
    uint256 private constant LONG = type(uint64).max;

    /// The temperature is below one millionth.
    error NoTemperature();

    /// The weight of a token: 2^28 * exp((logit - top) / temperature), the temperature in millionths.
    function weight(int256 top, int256 logit, uint256 temperature) internal pure returns (uint256) {
        if (temperature == 0) revert NoTemperature();
        if (FixedPoint.checked(logit) > FixedPoint.checked(top)) revert FixedPoint.OutOfRange(logit);
        unchecked {
            uint256 below = uint256((top - logit) * Powers.LOG2_E) >> 24;
            return uint256(Powers.half((below * MILLION) / temperature) >> 2);
        }
    }

    /// The time of a token in the race of a position, before it is divided by the token's weight: -log2(u) as Q30, u uniform from
    /// seed, position and token.
    function arrival(uint64 seed, uint64 position, uint32 token) internal pure returns (uint256) {
        unchecked {
            uint256 stream = mix(mix(seed + GOLDEN) + (uint256(position) + 1) * GOLDEN);
            uint256 uniform = mix(stream + (uint256(token) + 1) * GOLDEN) >> 32;
            return Powers.negativeLog2(2 * uniform + 1);
        }
    }

    /// The output function of SplitMix64.
    function mix(uint256 state) private pure returns (uint256) {
        unchecked {
            state &= LONG;
            state = ((state ^ (state >> 30)) * 0xbf58476d1ce4e5b9) & LONG;
            state = ((state ^ (state >> 27)) * 0x94d049bb133111eb) & LONG;
            return state ^ (state >> 31);
        }
    }

    /// Adds a segment of weights (4 bytes each, little-endian, multiples of 4) to three sums: of all, of those above `least`, and
    /// of those from it on.
    function addWeights(bytes calldata weights, uint256 least, uint256[3] memory sums) internal pure {
        unchecked {
            Vectors.checkLength(weights, 16);
            for (uint256 i = 0; i < weights.length; i += 4) {
                uint256 place;
                assembly {
                    place := add(weights.offset, i)
                }
                uint256 value = Numbers.four(place);
                sums[0] += value;
                if (value > least) sums[1] += value;
                if (value >= least) sums[2] += value;
            }
        }
    }

    /// Whether `least` is the smallest weight of the nucleus: those above it are less than the share `topP` (millionths, below a
    /// million) of all, and with those equal to it they are not.
    function isThreshold(uint256[3] memory sums, uint256 topP) internal pure returns (bool) {
        unchecked {
            uint256 share = (sums[0] * topP + MILLION - 1) / MILLION;
            if (share == 0) share = 1;
            return sums[1] < share && share <= sums[2] && sums[1] < sums[2];
        }
    }
}
