export { createBroker, type EventBroker, type Subscription, type Topic } from './broker.js'
export { createJournal, StaleGeneration, type Journal } from './journal.js'
export { framesOf, encodeFrame, type DeclaredFrames, type Frame, type NewFrame } from './frames.js'
export { encodedFrames, heard, type EncodedFrame, type Published } from './published.js'
