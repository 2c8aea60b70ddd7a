import { type ComponentType } from 'preact'
import { ConversationScreen } from '../conversation/ConversationScreen.js'
import { lazy } from '../ui/lazy.js'

const SettingsScreen = lazy(async () => (await import('../settings/SettingsScreen.js')).SettingsScreen)

/** What stands at which address. What is not a conversation is loaded when it is first looked at. */
export const screens: ReadonlyArray<{ path: string | RegExp, screen: ComponentType<{ params: Record<string, string> }> }> = [
  // One place for a new chat and for those that are, so that the one becomes the other without being drawn anew.
  { path: /^\/(?:session\/(?<id>[^/]+)\/?)?$/, screen: ConversationScreen },
  { path: '/inbox', screen: lazy(async () => (await import('../inbox/InboxScreen.js')).InboxScreen) },
  { path: '/tasks', screen: lazy(async () => (await import('../tasks/TasksScreen.js')).TasksScreen) },
  { path: '/memory', screen: lazy(async () => (await import('../memory/MemoryScreen.js')).MemoryScreen) },
  { path: '/skills', screen: lazy(async () => (await import('../skills/SkillsScreen.js')).SkillsScreen) },
  { path: '/models', screen: lazy(async () => (await import('../models/ModelsScreen.js')).ModelsScreen) },
  { path: '/usage', screen: lazy(async () => (await import('../usage/UsageScreen.js')).UsageScreen) },
  { path: '/settings', screen: SettingsScreen },
  { path: '/settings/:section', screen: SettingsScreen }
]
