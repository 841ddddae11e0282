// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Pre-installed in genesis (D52). Maps a validator's consensus address (the first 20 bytes of SHA-256 of its public key)
/// to the address that receives the fees of the blocks it proposes (D18). The node reads slot keccak256(address, 0) itself.
contract Validators {
    /// Reward address by consensus address. Must stay the first variable: the node reads its slots.
    mapping(address consensus => address reward) public rewardOf;

    /// The account that may change the reward address of a validator: the reward address itself.
    error NotRewardAddress(address caller, address expected);

    event RewardChanged(address indexed consensus, address indexed from, address indexed to);

    function setReward(address consensus, address reward) external {
        address current = rewardOf[consensus];
        if (msg.sender != current) revert NotRewardAddress(msg.sender, current);
        rewardOf[consensus] = reward;
        emit RewardChanged(consensus, current, reward);
    }
}
