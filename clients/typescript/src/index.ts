export { Api, ApiError, newClientId, type ApiOptions, type Wire } from './api.js'
export {
  Client, TurnFailed, type Answer, type ApprovalChoice, type AskOptions, type ClientOptions, type MessageOptions, type Prompt
} from './client.js'
export { eventFrames, type EventFrame } from './events.js'
export {
  isTerminal, type FeedFrame, type FeedOptions, type StreamOptions, type StreamTiming, type TurnFrame, type TurnOptions, type Watched,
  type WatchedFrame
} from './streams.js'
export type { components, operations, paths } from '../wire.js'
