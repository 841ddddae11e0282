// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Loops that an EVM spends its time in. Each gives the gas that the loop itself used.
contract Loops {
    mapping(uint256 => uint256) private slots;
    uint256 private counter;

    function arithmetic(uint256 n) external view returns (uint256 used, uint256 sum) {
        used = gasleft();
        assembly {
            sum := 1
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { sum := add(sum, xor(i, shl(3, sum))) }
        }
        used -= gasleft();
    }

    function wide(uint256 n) external view returns (uint256 used, uint256 x) {
        used = gasleft();
        assembly {
            x := 7
            let p := 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                x := addmod(mulmod(x, x, p), i, p)
                x := div(mul(x, 3), 5)
            }
        }
        used -= gasleft();
    }

    function ordinary(uint256 n) external view returns (uint256 used, uint256 mixed) {
        used = gasleft();
        uint256[16] memory a;
        for (uint256 i = 0; i < n; i++) {
            a[i % 16] = a[(i * 7) % 16] + i;
            mixed = mixed ^ (a[(i + 3) % 16] * 3);
        }
        used -= gasleft();
    }

    function keccak(uint256 n) external view returns (uint256 used, bytes32 hash) {
        used = gasleft();
        assembly {
            mstore(0, n)
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(0, add(keccak256(0, 64), i)) }
            hash := mload(0)
        }
        used -= gasleft();
    }

    function coldLoad(uint256 n) external view returns (uint256 used, uint256 mixed) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) mixed ^= slots[i];
        used -= gasleft();
    }

    function freshStore(uint256 n) external returns (uint256 used) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) slots[i] = i + 1;
        used -= gasleft();
    }

    function warmStore(uint256 n) external returns (uint256 used) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) counter = i;
        used -= gasleft();
    }

    function calls(uint256 n) external view returns (uint256 used) {
        used = gasleft();
        for (uint256 i = 0; i < n; i++) this.nothing();
        used -= gasleft();
    }

    function nothing() external pure {}
}
