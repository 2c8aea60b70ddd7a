export { createWaitingRoom, type WaitingRoom } from './waiting-room.js'
export { createUpgrade, type Upgrade } from './upgrade.js'
