// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// Loops that each stress one part of a virtual machine. All give back the gas that the loop used, so that every engine's
/// speed is told in gas per second, and most a value that proves the work was done.
contract Loops {
    /// Slots that the genesis of the benchmarks fills.
    mapping(uint256 => uint256) filled;
    /// Slots that are empty at the start.
    mapping(uint256 => uint256) empty;
    uint256 counter;

    event Pinged(uint256 indexed id, uint256 indexed bucket, address indexed from, uint256 value);

    /// Additions, shifts and exclusive ors on the stack.
    function arithmetic(uint256 n) external view returns (uint256 used, uint256 x) {
        used = gasleft();
        assembly {
            x := 1
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { x := add(x, xor(i, shl(3, x))) }
        }
        used -= gasleft();
    }

    /// Checked arithmetic over an array in memory, as a compiler makes it of everyday code.
    function ordinary(uint256 n) external view returns (uint256 used, uint256 x) {
        used = gasleft();
        uint256[16] memory ring;
        for (uint256 i = 0; i < n; i++) {
            ring[i % 16] = ring[(i * 7) % 16] + i;
            x ^= ring[(i + 3) % 16] * 3;
        }
        used -= gasleft();
    }

    /// A chain of Keccak-256 hashes of 64 bytes.
    function keccak(uint256 n) external view returns (uint256 used, bytes32 x) {
        used = gasleft();
        assembly {
            mstore(0, n)
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(0, add(keccak256(0, 64), i)) }
            x := mload(0)
        }
        used -= gasleft();
    }

    /// Reads of slots that hold a value and were not touched before.
    function coldLoad(uint256 n) external view returns (uint256 used, uint256 x) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) x ^= filled[i];
        used -= gasleft();
    }

    /// Writes to slots that were empty.
    function freshStore(uint256 n) external returns (uint256 used) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) empty[i] = i + 1;
        used -= gasleft();
    }

    /// Writes to one slot over and over.
    function warmStore(uint256 n) external returns (uint256 used) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) counter = i;
        used -= gasleft();
    }

    /// Many logs with three indexed fields.
    function ping(uint256 first, uint256 n) external {
        for (uint256 i = first; i < first + n; i++) emit Pinged(i, i % 100, msg.sender, i * i);
    }
}
