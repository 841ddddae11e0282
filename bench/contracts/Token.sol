// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// An ERC-20 token as most are deployed. The genesis of the benchmarks gives out its balances.
contract Token is ERC20("Bench", "BENCH") {}
