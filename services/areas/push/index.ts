export { createDigest, type Digest } from './digest.js'
export { createPush, mostSubscriptions, type Push } from './push.js'
export { subscriptionToWire, wishesOf } from './wire.js'
