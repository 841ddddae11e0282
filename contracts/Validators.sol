// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Pre-installed in genesis (D52). Maps a validator's consensus address (the first 20 bytes of SHA-256 of its public key)
/// to the address that receives the fees of the blocks it proposes (D18). The node reads slot keccak256(address, 0) itself.
contract Validators {
    /// Reward address by consensus address. Must stay the first variable: the node reads its slots.
    mapping(address consensus => address reward) public rewardOf;

    /// Who decides about a reward address once it was moved: the account that it was at first.
    mapping(address consensus => address controller) private movedBy;

    /// The account that may change the reward address of a validator, and the account that tried.
    error NotController(address caller, address expected);

    event RewardChanged(address indexed consensus, address indexed from, address indexed to);

    /// The account that may change the reward address of a validator: the reward address of genesis.
    function controllerOf(address consensus) public view returns (address) {
        address controller = movedBy[consensus];
        return controller == address(0) ? rewardOf[consensus] : controller;
    }

    function setReward(address consensus, address reward) external {
        address controller = controllerOf(consensus);
        if (msg.sender != controller) revert NotController(msg.sender, controller);
        address current = rewardOf[consensus];
        movedBy[consensus] = controller;
        rewardOf[consensus] = reward;
        emit RewardChanged(consensus, current, reward);
    }
}
