import { type ComponentType } from 'preact'
import { ConversationScreen } from '../conversation/ConversationScreen.js'

/** What stands at which address. What is not a conversation is loaded when it is first looked at. */
export const screens: ReadonlyArray<{ path: string, screen: ComponentType<{ params: Record<string, string> }> }> = [
  { path: '/', screen: ConversationScreen },
  { path: '/session/:id', screen: ConversationScreen }
]
