// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Token is ERC20 {
    constructor(uint256 supply) ERC20("Assay Test Token", "ATT") {
        _mint(msg.sender, supply);
    }

    function fail(string calldata reason) external pure {
        revert(reason);
    }
}
