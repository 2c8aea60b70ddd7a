import { createTwoFilesPatch } from 'diff'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, NotFound, RelayFailed, TooLarge } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { Listeners, type Subscribable } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { maskLines, refuseMasks, refuseOwnSecrets, unmask } from '../../ground/redaction/index.js'
import { type Profiles } from '../profiles/index.js'
import { type AuditPort } from '../audit/index.js'
import { nameOf, pathOf, readDocument, writeDocument, type Document } from './documents.js'
import { edited, type MemoryEdit } from './entries.js'
import { createVersionRows, sections, type Author, type Section, type VersionRow } from './rows.js'

export interface MemoryEvents {
  /** The content of a document has changed: it was written here, or this service has noticed a change made outside of it. */
  changed (profile: string, section: Section): void
}

export interface MemoryOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  profiles: Pick<Profiles, 'existing' | 'settings'>
  /** Whether credentials are masked in what is shown. */
  isMasked: () => boolean
  /** Bytes of a document that the model is given; a longer one is not saved. */
  limitBytes: number
  log: Log
}

/** A document as it is shown. If it is switched off in the profile, it has neither text nor path. */
export interface ShownDocument { text: string, path: string, mtime: number | null, version: string, problem: string | null }

/**
 * A proposed new content of a document, as it is shown; `version` is that of the document it was made from, `diff` is empty if nothing
 * differs.
 */
export interface Proposal { text: string, diff: string, version: string }

/** How many attempts are made if others keep writing a document between our read and our change of it. */
const mostAttempts = 8
const flags = { memory: 'memory_enabled', user: 'user_profile_enabled' } as const
const hidden: ShownDocument = { text: '', path: '', mtime: null, version: 'none', problem: null }

/** What an agent is told in each conversation: its notes, what it knows about the user, and who it is. People edit these files too. */
export class Memory {
  readonly #rows: ReturnType<typeof createVersionRows>
  readonly #inTurn = createQueue()
  readonly #listeners: Listeners<MemoryEvents>

  constructor (private readonly options: MemoryOptions) {
    this.#rows = createVersionRows(options.db)
    this.#listeners = new Listeners((event, error) =>
      options.log('a listener failed after a change of the memory', { event, reason: String(error) }))
  }

  readonly on: Subscribable<MemoryEvents>['on'] = (name, listener) => this.#listeners.on(name, listener)

  get limitBytes (): number { return this.options.limitBytes }

  /**
   * Returns the three documents; with `plain`, as they are stored. Changes made outside of this service become versions. Throws NotFound
   * for an unknown profile.
   */
  async read (profile: string, { plain = false }: { plain?: boolean } = {}): Promise<Record<Section, ShownDocument>> {
    const { home } = this.options.profiles.existing(profile)
    await Promise.all(sections.map(async (section) => await this.#noticed(profile, home, section)))
    return Object.fromEntries(
      sections.map((section) => [section, this.isOn(profile, section) ? this.#shown(readDocument(home, section), plain) : hidden])
    ) as Record<Section, ShownDocument>
  }

  /** Whether the profile uses this document. */
  isOn (profile: string, section: Section): boolean {
    if (section === 'soul') return true
    return fieldsOf(this.options.profiles.settings(profile).config.memory)[flags[section]] !== false
  }

  /** Returns the time of the last change in epoch seconds; null if the document does not exist or is not used. */
  mtime (profile: string, section: Section): number | null {
    try {
      return this.isOn(profile, section) ? readDocument(this.options.profiles.existing(profile).home, section).mtime : null
    } catch {
      return null // the profile has gone
    }
  }

  /**
   * Replaces a document. Resolves when it is on disk. If its author saw it with masked credentials, those in unchanged lines are kept. With
   * `version`, only replaces the document of that version. Throws Forbidden for a document that is switched off or read-only, Invalid for a
   * link, TooLarge, and Conflict for another version, for masked values that cannot be restored, and for an unreadable file.
   */
  async write (
    profile: string, section: Section, text: string, { version = null }: { version?: string | null } = {}
  ): Promise<{ path: string, document: ShownDocument }> {
    return await this.#change(profile, section, 'person', (present) => {
      if (version !== null && version !== present.version) throw changedMeanwhile(section, present)
      return this.#unmasked(section, present, text)
    })
  }

  /** Returns the versions of a document, newest first; the present text is one of them. Throws NotFound and Forbidden. */
  async history (profile: string, section: Section): Promise<VersionRow[]> {
    await this.#noticed(profile, this.#home(profile, section), section)
    return this.#rows.list(profile, section)
  }

  /**
   * Returns the changes from one version to another, or to the present text: a unified diff with masked credentials. Throws NotFound and
   * Forbidden.
   */
  compare (profile: string, section: Section, { from, to }: { from: number, to: number | null }): string {
    const document = readDocument(this.#home(profile, section), section)
    const after = to === null ? document.text : this.#version(profile, section, to).text
    return this.#difference(section, this.#version(profile, section, from).text ?? '', after ?? '')
  }

  /** Returns the text of a version as it is shown. Throws NotFound and Forbidden. */
  textOf (profile: string, section: Section, id: number): string {
    this.#home(profile, section)
    return this.#asShown(this.#version(profile, section, id).text ?? '')
  }

  /** Restores the text of a version, which makes a new one. Throws as `write` does, and NotFound. */
  async restore (profile: string, section: Section, id: number): Promise<{ path: string, document: ShownDocument }> {
    this.#home(profile, section)
    const { text } = this.#version(profile, section, id)
    return await this.#change(profile, section, 'person', () => text ?? '')
  }

  /**
   * Returns the new content that `make` proposes for a document, which it sees with masked credentials; writes nothing. The proposal can be
   * written as it is shown. Throws the errors of `make`, NotFound, Forbidden for a document that is switched off, Conflict for an
   * unreadable one, and RelayFailed if the proposal is too long, or masked values in it cannot be restored.
   */
  async propose (profile: string, section: Section, make: (name: string, shown: string) => Promise<string>): Promise<Proposal> {
    const name = nameOf(section)
    const { text, version, problem, passing } = readDocument(this.#home(profile, section), section)
    if (problem !== undefined) throw passing ?? new Conflict(`${name} ${problem}`, 'not_text')
    const before = text ?? ''
    const after = unmask(before, await make(name, maskLines(before)))
    const shown = after === null ? '' : this.#asShown(after)
    if (after === null || (this.options.isMasked() && unmask(before, shown) !== after)) {
      throw new RelayFailed(
        'The model changed or moved lines with masked values, which cannot be restored; nothing was changed', 'model_failed'
      )
    }
    if (Buffer.byteLength(after) > this.options.limitBytes) {
      throw new RelayFailed(
        `The model's text has more than the ${this.options.limitBytes} bytes that the agent reads; nothing was changed`, 'model_failed'
      )
    }
    return { text: shown, diff: after === before ? '' : this.#difference(section, before, after), version }
  }

  /**
   * Returns a document (null if it does not exist) and the result of an agent's edit, for the person who is asked about it. Throws as
   * `edit` does.
   */
  foresee (profile: string, section: Section, edit: MemoryEdit): { before: string | null, after: string, version: string } {
    const { text: before, version, problem, passing } = readDocument(this.#home(profile, section), section)
    if (problem !== undefined) throw passing ?? new Conflict(`${nameOf(section)} ${problem}`)
    return { before, after: this.#fitting(section, edited(before ?? '', edit), before), version }
  }

  /**
   * Changes a document for the agent. With `version`, only the one that a person was shown. Throws Invalid if the passage does not occur in
   * it, and as `write` does.
   */
  async edit (
    profile: string, section: Section, edit: MemoryEdit, { version = null }: { version?: string | null } = {}
  ): Promise<{ bytes: number }> {
    const { document: { text } } = await this.#change(profile, section, 'agent', (present) => {
      if (version !== null && version !== present.version) throw changedMeanwhile(section, present)
      return edited(present.text ?? '', edit)
    })
    return { bytes: Buffer.byteLength(text) }
  }

  /** Called when a profile was added or removed: no other profile may get its versions. */
  async forget (profile: string): Promise<void> {
    await this.options.db.durably(() => this.#rows.forget(profile))
  }

  /** Returns the profile's home. Throws NotFound, and Forbidden if the document is switched off. */
  #home (profile: string, section: Section): string {
    const { home } = this.options.profiles.existing(profile)
    if (!this.isOn(profile, section)) {
      throw new Forbidden(
        `${nameOf(section)} is turned off in this profile (memory.${flags[section as keyof typeof flags]} of its config.yaml)`
      )
    }
    return home
  }

  #version (profile: string, section: Section, id: number): VersionRow {
    const found = this.#rows.find(profile, section, id)
    if (found === undefined) throw new NotFound('Version not found')
    return found
  }

  /**
   * Makes one change of a document at a time, based on its content at that time. That content is stored as a version before it is replaced.
   */
  async #change (
    profile: string, section: Section, author: Author, make: (present: Document) => string
  ): Promise<{ path: string, document: ShownDocument }> {
    const home = this.#home(profile, section)
    const path = pathOf(home, section)
    return await this.#inTurn(path, async () => {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const present = readDocument(home, section)
        const text = this.#fitting(section, make(present), present.text)
        if (present.problem === undefined) await this.#keep(profile, section, present.text, 'disk')
        if (!await writeDocument(present, text)) continue
        await this.#keep(profile, section, text, author)
        this.#listeners.emit('changed', profile, section)
        return { path, document: this.#shown(readDocument(home, section)) }
      }
      throw new Conflict(`${nameOf(section)} is being saved by someone else; nothing was written`, 'changed')
    })
  }

  #fitting (section: Section, text: string, before: string | null): string {
    refuseOwnSecrets(nameOf(section), [text], before)
    if (this.options.isMasked()) refuseMasks(nameOf(section), text, before)
    const bytes = Buffer.byteLength(text)
    if (bytes > this.options.limitBytes) {
      throw new TooLarge(`${nameOf(section)} would have ${bytes} bytes; the agent reads ${this.options.limitBytes}. Shorten it.`)
    }
    return text
  }

  #unmasked (section: Section, { text: present }: Document, written: string): string {
    if (present === null || !this.options.isMasked()) return written
    const text = unmask(present, written)
    if (text === null) {
      throw new Conflict(`${nameOf(section)} contains masked values in lines that you changed or moved; saving would destroy them. Restore these lines, enter the values, or delete the lines.`, 'masked')
    }
    return text
  }

  /** Checks whether a document was changed outside of this service. A version that cannot be stored now is noticed the next time. */
  async #noticed (profile: string, home: string, section: Section): Promise<void> {
    await this.#inTurn(pathOf(home, section), async () => {
      const { text, problem } = readDocument(home, section)
      const hadOne = this.#rows.newest(profile, section) !== undefined
      if (problem !== undefined || !await this.#keep(profile, section, text, 'disk')) return
      if (hadOne) this.#listeners.emit('changed', profile, section)
    }).catch((error: unknown) => this.options.log('a version of the memory could not be saved', { section, reason: String(error) }))
  }

  /** Stores a version, unless it equals the newest one; resolves when it is on disk. Returns whether it was stored. */
  async #keep (profile: string, section: Section, text: string | null, author: Author): Promise<boolean> {
    const newest = this.#rows.newest(profile, section)
    if (newest === undefined ? text === null : newest.text === text) return false
    const { db, clock, audit } = this.options
    await db.durably(() => {
      this.#rows.insert(profile, section, { text, author, createdAt: epochSeconds(clock) })
      if (author === 'disk') return
      audit.record('memory.changed', {
        profile, section, bytes_before: Buffer.byteLength(newest?.text ?? ''), bytes: Buffer.byteLength(text ?? '')
      })
    })
    return true
  }

  #shown ({ text, path, mtime, version, problem }: Document, plain = false): ShownDocument {
    return { text: plain ? text ?? '' : this.#asShown(text ?? ''), path, mtime, version, problem: problem ?? null }
  }

  #asShown (text: string): string {
    return this.options.isMasked() ? maskLines(text) : text
  }

  #difference (section: Section, before: string, after: string): string {
    const name = nameOf(section)
    const patch = createTwoFilesPatch(name, name, this.#asShown(before), this.#asShown(after), 'before', 'after', {
      timeout: 500
    }) as string | undefined
    return patch ?? 'The texts differ too much to be compared.\n'
  }
}

function changedMeanwhile (section: Section, { version }: Document): Conflict {
  return new Conflict(`${nameOf(section)} was changed by someone else. Read it again, then decide.`, 'changed', { version })
}
