import { type feedFrames } from '../../../schemas/feed.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { type PromptKind } from '../prompts/index.js'
import { type Change, type ConfigState, type FeedOptions, type FeedRequest, type SessionPrompts } from './contract.js'

const frame = framesOf<typeof feedFrames>()

/** Makes the frame for a change: the present state, as the reader's list shows it. */
export class Frames {
  constructor (private readonly options: FeedOptions, private readonly request: Pick<FeedRequest, 'flags' | 'limit' | 'reader'>) {}

  /** Makes the frame with the whole state, after which changes suffice. */
  snapshot (): NewFrame {
    const { prompts, settings, savedSettings, configState, counts } = this.options
    const { profile } = this.request.flags
    const grouped = new Map<string, SessionPrompts & { sessionId: string, kind: PromptKind }>()
    for (const { type, session_title: title, profile, ...prompt } of prompts.allOpen(this.request.reader)) {
      const key = `${type} ${prompt.session_id}`
      const group = grouped.get(key) ?? { sessionId: prompt.session_id, kind: type, title, profile, prompts: [] }
      group.prompts.push(prompt)
      grouped.set(key, group)
    }
    const open = [...grouped.values()].map(({ sessionId, kind, ...found }) => promptsToWire(sessionId, kind, found))
    const { config_error: error, config_problems: problems } = configToWire(configState(profile))
    return {
      event: 'snapshot',
      data: `{"profile":${JSON.stringify(profile)},"list":${this.#list()},"prompts":${JSON.stringify(open)},"settings":${JSON.stringify(settings())},"saved_settings":${JSON.stringify(savedSettings())},"config_error":${JSON.stringify(error)},"config_problems":${JSON.stringify(problems)},"counts":${JSON.stringify(counts(profile))}}`
    }
  }

  of (change: Change): NewFrame {
    switch (change.kind) {
      case 'session': return this.#session(change.id)
      case 'list': return { event: 'sessions', data: `{"list":${this.#list()}}` }
      case 'prompts': return frame(
        'prompts', promptsToWire(change.id, change.of, this.options.prompts.waiting(change.id, change.of, this.request.reader))
      )
      case 'profile': return this.#profile(change.id)
      case 'home': return frame('home', { profile: change.id, seen_at: this.options.seenAt(change.id) })
      case 'counts': return frame('counts', { profile: change.id, counts: this.options.counts(change.id) })
      case 'settings': return frame('settings', { settings: this.options.settings(), saved_settings: this.options.savedSettings() })
      case 'hosts': return frame('hosts', { hosts: this.options.machines() })
      case 'memory': return frame('memory', {
        profile: change.profile, section: change.section, mtime: this.options.memoryTime(change.profile, change.section)
      })
      case 'notice': return { event: change.event, data: change.text }
    }
  }

  #profile (name: string): NewFrame {
    const state = this.options.configState(name)
    return frame('profile', { profile: name, exists: state !== undefined, ...configToWire(state) })
  }

  #list (): string {
    return this.options.sessions.pages.page(this.request.flags, this.request.limit).body.toString()
  }

  #session (id: string): NewFrame {
    const { pages, version } = this.options.sessions
    const row = pages.row(this.request.flags, id)
    const head = `{"session_id":${JSON.stringify(id)},"version":${version()}`
    return row === null ? { event: 'session_gone', data: `${head}}` } : { event: 'session', data: `${head},"session":${row}}` }
  }
}

function configToWire (state: ConfigState | undefined) {
  return { config_error: state?.configError ?? null, config_problems: [...state?.configProblems ?? []] }
}

/** The frame of the session's own stream, unchanged, and the prompts that wait behind the first. */
function promptsToWire (sessionId: string, kind: PromptKind, found: SessionPrompts | null) {
  const [pending = null, ...waiting] = found?.prompts ?? []
  return {
    session_id: sessionId,
    session_title: found?.title ?? null,
    profile: found?.profile ?? null,
    event: kind,
    data: { pending, pending_count: found?.prompts.length ?? 0 },
    waiting
  }
}
