export { createDigest, type Digest } from './digest.js'
export { mostSubscriptions } from './browsers.js'
export { createPush, type Push } from './push.js'
export { subscriptionToWire, wishesOf } from './wire.js'
