import { type tables } from '../../ground/database/index.js'
import { RecentKeys, titleRanks, type Fact, type TitleRank } from './facts.js'
import { firstCharacters } from '../../ground/redaction/index.js'

export type ForeignRow = typeof tables.foreignSessions.$inferSelect
/** The columns that are derived from a file's content. */
export type ForeignTally = Pick<ForeignRow,
  'title' | 'workspace' | 'model' | 'messageCount' | 'userMessageCount' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'createdAt' | 'lastMessageAt'>

type Spent = Pick<ForeignTally, 'inputTokens' | 'outputTokens' | 'cacheReadTokens'>

const titleChars = 64

/** Computes the columns of a file from its facts; counts the same rows that TranscriptBuilder makes of them. */
export class Tally {
  /** Whether the file is not a conversation with a person. */
  leftOut = false
  /** The front end's own id of the conversation, if its entries say. */
  id: string | null = null
  #told: Omit<ForeignTally, 'createdAt' | 'lastMessageAt'> = {
    title: null, workspace: null, model: null, messageCount: 0, userMessageCount: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0
  }

  #createdAt: number | null = null
  #lastMessageAt: number | null = null
  #titleRank: TitleRank = titleRanks.none
  readonly #answers = new RecentKeys<true>()
  readonly #usages = new RecentKeys<Spent>()

  /** `atS`: the time for rows without one. Times later than `nowS` are not believed. */
  take (fact: Fact, { atS, nowS }: { atS: number, nowS: number }): void {
    const told = this.#told
    switch (fact.t) {
      case 'began': this.#createdAt ??= Math.min(fact.atS, nowS); break
      case 'user':
        told.userMessageCount++
        this.#entitle(fact.request ?? fact.text, fact.rank)
        this.#row(fact.atS ?? atS, nowS)
        break
      case 'answer':
        if (this.#answers.get(fact.answer) === undefined) {
          this.#answers.set(fact.answer, true)
          this.#row(fact.atS ?? atS, nowS)
        }
        break
      case 'result': this.#row(fact.atS ?? atS, nowS); break
      case 'title': this.#entitle(fact.text, fact.rank); break
      case 'workspace': told.workspace ??= fact.path; break
      case 'model': told.model = fact.model; break
      case 'usage': this.#spend(fact); break
      case 'id': this.id ??= fact.id; break
      case 'left_out': this.leftOut = true; break
    }
  }

  /** Continues from the stored columns; what this tally has read before was the end of that, and only prepares for what follows. */
  adopt ({ createdAt, lastMessageAt, ...told }: ForeignTally): void {
    const { title, workspace, model, messageCount, userMessageCount, inputTokens, outputTokens, cacheReadTokens } = told
    this.#told = { title, workspace, model, messageCount, userMessageCount, inputTokens, outputTokens, cacheReadTokens }
    this.#createdAt = createdAt
    this.#lastMessageAt = lastMessageAt
    if (title !== null && this.#titleRank < titleRanks.text) this.#titleRank = titleRanks.text
  }

  /** `atS`: the time of a file without rows. */
  told (atS: number): ForeignTally {
    const createdAt = this.#createdAt ?? this.#lastMessageAt ?? atS
    const told = { ...this.#told, createdAt, lastMessageAt: this.#lastMessageAt ?? createdAt }
    return this.leftOut ? { ...told, userMessageCount: 0 } : told
  }

  #row (atS: number, nowS: number): void {
    const believed = Math.min(atS, nowS)
    this.#told.messageCount++
    this.#createdAt ??= believed
    this.#lastMessageAt = Math.max(this.#lastMessageAt ?? believed, believed)
  }

  #entitle (text: string, rank: TitleRank): void {
    const isExplicit = rank >= titleRanks.summary
    if (rank < this.#titleRank || (rank === this.#titleRank && !isExplicit)) return
    // Cut first, because only the beginning of a long text is needed.
    const title = firstCharacters(text.slice(0, 1_000).replaceAll(/\s+/g, ' ').trim(), titleChars).trim()
    if (title === '') return
    this.#told.title = title
    this.#titleRank = rank
  }

  #spend ({ answer, inputTokens, outputTokens, cacheReadTokens }: Extract<Fact, { t: 'usage' }>): void {
    const spent: Spent = { inputTokens, outputTokens, cacheReadTokens }
    if (answer === null) {
      Object.assign(this.#told, spent)
      return
    }
    const before = this.#usages.get(answer)
    this.#usages.set(answer, spent)
    for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) this.#told[key] += spent[key] - (before?.[key] ?? 0)
  }
}
