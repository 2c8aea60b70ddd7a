import { type Statement } from 'better-sqlite3'
import { hasOldMask, inPortions, largestRowBytes, maskedText, maskOf, oneRow, remaskingKey, type Database, type RowTexts } from '../../ground/database/index.js'

/** Replaces the stream id in copies of rows that a turn of this service made; no stream has this id. */
const copied = 'copied'

/** Which text of a row is read: with credentials masked, or the original. */
export type Variant = 'masked' | 'plain'

export interface MessageRow {
  position: number
  role: string
  messageId: string
  body: string
  card: string | null
  assistantPosition: number | null
}

/** JSON, as text or in UTF-8. */
type Json = string | Buffer

/** A row as it is stored. */
export interface NewMessageRow {
  messageId: string
  role: string
  counted: boolean
  body: Json
  redactedBody: Json | null
  card: Json | null
  redactedCard: Json | null
  assistantPosition: number | null
  replay: Json | null
  streamId: string | null
  createdAtS: number
}

/** `isLast`: 1 if no message of a person or the assistant follows in its session. `isOfTurn`: 0 for an imported one. */
export interface StoredMasks extends RowTexts {
  id: number
  sessionId: string
  isLast: number
  isOfTurn: 0 | 1
}

const columnsOf: Record<Variant, { body: string, card: string }> = {
  masked: { body: maskedText('body'), card: maskedText('card') },
  plain: { body: 'body', card: 'card' }
}
const readable = (column: string): string => `octet_length(${column}) <= ${largestRowBytes} and json_valid(${column})`

/** The statements of the table `messages`, and every write of it. `onWritten` is called with a session whose rows are added or removed. */
export function createMessageRows ({ sqlite }: Database, onWritten: (sessionId: string) => void = () => {}) {
  return { ...texts(sqlite), ...places(sqlite), ...writers(sqlite, onWritten) }
}

/**
 * How many rows one statement inserts. FTS5 writes what the search index has gathered to its tables before each statement that has a
 * trigger, so ten statements of one row take three times as long as one statement of ten.
 */
const rowsPerInsert = [32, 8, 1]
/** How many pages of the search index are merged at once; that takes some milliseconds. */
const pagesAtOnce = 16
/** Rows are removed by as many at a time, for about as long: their bytes are overwritten. */
const fewRows = 5
const trimMs = 4
/** How many segments of the search index FTS5 merges at once while rows are added. */
const usualAutomerge = 4

export type MessageRows = ReturnType<typeof createMessageRows>

const valuesOf = (row: NewMessageRow): unknown[] => [
  row.messageId, row.role, row.counted ? 1 : 0, row.body, row.redactedBody, row.card, row.redactedCard, row.assistantPosition, row.replay,
  row.streamId, row.createdAtS
]

function writers (sqlite: Database['sqlite'], onWritten: (sessionId: string) => void) {
  const columns = 'session_id, position, message_id, role, counted, body, redacted_body, card, redacted_card, assistant_position, replay, stream_id, created_at'
  const json = 'cast(? as text)'
  const values = `(?, ?, ?, ?, ?, ${json}, ${json}, ${json}, ${json}, ?, ${json}, ?, ?)`
  const inserts = rowsPerInsert.map((count) => ({
    count, statement: sqlite.prepare<unknown[]>(`insert into messages (${columns}) values ${Array<string>(count).fill(values).join(', ')}`)
  }))
  const copy = sqlite.prepare(
    `with fresh as materialized (select *, lower(hex(randomblob(10))) as fresh_id from messages where session_id = @from and position >= @start and position < @end)
     insert into messages (${columns})
     select @to, position, fresh_id, role, counted, replace(json_set(body, '$.message_id', fresh_id), @old, @new), replace(json_set(${maskOf('body', 'fresh')}, '$.message_id', fresh_id), @old, @new),
       replace(card, @old, @new), replace(${maskOf('card', 'fresh')}, @old, @new), assistant_position, replace(replay, @old, @new), case when stream_id is null then null else '${copied}' end, created_at from fresh order by position`)
  const cut = sqlite.prepare('delete from messages where session_id = ? and position >= ?')
  const drop = sqlite.prepare('delete from messages where session_id = ? and position = ?')
  // FTS5 merges while rows are deleted, and reads a whole segment of deleted rows without a pause: merging is switched off here and left to
  // `reclaim`.
  const merging = sqlite.prepare<[], number>("select v from message_texts_config where k = 'deletemerge'").pluck()
  const mergeAt = (percent: number): void => {
    sqlite.exec(`insert into message_texts(message_texts, rank) values ('deletemerge', ${percent})`)
  }
  const merge = sqlite.prepare(`insert into message_texts(message_texts, rank) values ('merge', ${pagesAtOnce})`)
  const changed = sqlite.prepare<[], number>('select total_changes()').pluck()
  const isAutomerging = sqlite.prepare<[], number>("select coalesce((select v from message_texts_config where k = 'automerge'), 1) <> 0").pluck()
  /** Returns false when nothing is left to merge. */
  const mergeSome = (): boolean => {
    const before = oneRow(changed)
    merge.run()
    return oneRow(changed) - before > 1
  }
  const trim = sqlite.prepare(
    'delete from messages where session_id = @sessionId and position >= max(@keep, (select max(position) + 1 from messages where session_id = @sessionId) - @rows)'
  )
  const maskable = sqlite.prepare<[number, number, number], StoredMasks>(`select id, session_id as sessionId, body, card, stream_id is not null as isOfTurn,
      redacted_body as redactedBody, redacted_card as redactedCard, position < (select message_count from sessions where sessions.id = session_id)
        and not exists (select 1 from messages as later where later.session_id = messages.session_id and later.position > messages.position and later.role in ('user', 'assistant')
          and ${readable('later.body')} and later.position < (select message_count from sessions where sessions.id = messages.session_id)) as isLast from messages
    where id > ? and id <= ? and octet_length(body) <= ${largestRowBytes} and coalesce(octet_length(card), 0) <= ${largestRowBytes} and json_valid(body) and coalesce(json_valid(card), 1) order by id limit ?`)
  const reword = sqlite.prepare(
    "update messages set replay = ? where session_id = ? and message_id = (select user_message_id from streams where id = ?) and role = 'user'"
  )
  const mask = sqlite.prepare('update messages set redacted_body = ?, redacted_card = ? where id = ?')
  const rewrite = sqlite.prepare('update messages set body = ?, card = ? where id = ?')

  return {
    /** Inserts rows from a position on. */
    insert (sessionId: string, position: number, rows: readonly NewMessageRow[]): void {
      onWritten(sessionId)
      let done = 0
      for (const { count, statement } of inserts) {
        for (; rows.length - done >= count; done += count) {
          statement.run(rows.slice(done, done + count).flatMap((row, at) => [sessionId, position + done + at, ...valuesOf(row)]))
        }
      }
    },
    /** Copies rows to the same positions of another session, with new ids. `old` in their texts becomes `new`. */
    copy (copied: { from: string, to: string, start: number, end: number, old: string, new: string }): void {
      onWritten(copied.to)
      copy.run(copied)
    },
    /** Removes everything from a position on. */
    cut (sessionId: string, from: number): void {
      onWritten(sessionId)
      cut.run(sessionId, from)
    },
    /** Removes one row, if it is there. */
    drop (sessionId: string, position: number): void {
      onWritten(sessionId)
      drop.run(sessionId, position)
    },
    /** Removes up to `most` of the last rows, fewer if they are long, but none before `keep`. Returns false when none is left. */
    trim (sessionId: string, most: number, keep = 0): boolean {
      onWritten(sessionId)
      if (merging.get() !== 0) mergeAt(0)
      const untilMs = performance.now() + trimMs
      let removed = 0
      for (let changes = 1; changes > 0 && removed < most && (removed === 0 || performance.now() < untilMs); removed += changes) {
        changes = trim.run({ sessionId, rows: Math.min(fewRows, most - removed), keep }).changes
      }
      return removed > 0
    },
    /**
     * Removes some deleted entries from the search index, from segments of which half is deleted. Returns false when nothing is left to do.
     */
    reclaim (): boolean {
      mergeAt(50)
      const hasMerged = mergeSome()
      mergeAt(0)
      return hasMerged
    },
    /**
     * FTS5 also merges while rows are added, in steps of any length. While `isOn` is false, that is left to `mergeIndex`; this is stored.
     */
    mergeWhileAdding (isOn: boolean): void {
      if ((oneRow(isAutomerging) === 1) === isOn) return
      sqlite.exec(`insert into message_texts(message_texts, rank) values ('automerge', ${isOn ? usualAutomerge : 0})`)
    },
    /** Merges a few pages of the search index. Returns false when nothing is left to merge. */
    mergeIndex: mergeSome,
    /** Changes what models are shown of the message that began a turn. */
    reword: (sessionId: string, streamId: string, replay: string): void => { reword.run(replay, sessionId, streamId) },
    /** Returns readable rows of all sessions with ids after one id and up to another. */
    maskable: (afterId: number, uptoId: number, limit: number): StoredMasks[] => maskable.all(afterId, uptoId, limit),
    mask: (id: number, body: string | null, card: string | null): void => { mask.run(body, card, id) },
    rewrite: (id: number, body: string, card: string | null): void => { rewrite.run(body, card, id) }
  }
}

/** How many rows are read in one query by those that iterate over many. */
const rowsAtOnce = 64
/** From this size on masking a row takes noticeably long. */
const leastLongBytes = 8_192
/** How much text the rows of one portion may hold, not counting the last one. */
const bytesAtOnce = 256 * 1024
/** Mostly the first one has a text, and to mask more of them by new rules takes long. */
const saidAtOnce = 1

/** Prepares statements that return one value. */
const oneIn = (sqlite: Database['sqlite']) => <Parameters extends unknown[], Result>(text: string): Statement<Parameters, Result> =>
  sqlite.prepare<Parameters, Result>(text).pluck()

/** Statements that read the texts of rows. */
function texts (sqlite: Database['sqlite']) {
  const one = oneIn(sqlite)
  // Texts are joined in the order in which the rows are read: with an `order by` of its own, `group_concat` would first sort copies of
  // them.
  const variant = ({ body, card }: { body: string, card: string }) => ({
    between: sqlite.prepare<[string, number, number], MessageRow>(
      `select position, role, message_id as messageId, ${body} as body, ${card} as card, assistant_position as assistantPosition
       from messages where session_id = ? and position >= ? and position < ? order by position limit ${rowsAtOnce}`),
    bodies: sqlite.prepare<[string, number], Buffer | null>(
      `select cast(group_concat(body, ',') as blob) from (select ${body} as body from messages where session_id = ? and position < ? order by position)`
    ).pluck(),
    cards: sqlite.prepare<[string, number], Buffer | null>(
      `select cast(group_concat(card, ',') as blob) from (select ${card} as card from messages where session_id = ? and position < ? and card is not null order by position)`
    ).pluck(),
    lastCounted: sqlite.prepare<[string, number], { body: string, index: number }>(
      `select ${body} as body, (select count(*) from messages as earlier where earlier.session_id = messages.session_id and counted = 1 and earlier.position < messages.position) as "index"
       from messages where session_id = ? and counted = 1 and position < ? and ${readable(body)} order by position desc limit 1`)
  })
  const firstQuestion = one<[string, number], string>(
    `select body ->> '$.content' from messages where session_id = ? and position < ? and role = 'user' and ${readable('body')} order by position limit 1`
  )
  const lastAnswer = one<[string, number], string | null>(
    `select case when ${readable(
      'body'
    )} then body ->> '$.content' end from messages where session_id = ? and position < ? and role = 'assistant'
       and not (${readable('body')} and coalesce(body ->> '$._source', '') = 'cron') order by position desc limit 1`)
  const said = sqlite.prepare<[string, number], { position: number, body: string, redactedBody: string | null }>(
    `select position, body, ${maskOf('body')} as redactedBody from messages where session_id = ? and position < ? and role in ('user', 'assistant') and ${readable('body')} order by position desc limit ${saidAtOnce}`)
  const hasOldMasks = sqlite.prepare<[], number>(`select exists (select 1 from settings where key = '${remaskingKey}')`).pluck()
  const answers = sqlite.prepare<[string, number, string], {
    position: number
    messageId: string
  }>(`select position, message_id as messageId from messages
    where session_id = ? and position >= ? and stream_id = ? and role = 'assistant' and ${readable(
      'body'
    )} and coalesce(body ->> '$.content', '') <> '' and body ->> '$._error' is null order by position`)
  const requests = sqlite.prepare<[string, number], { position: number, body: string }>(
    `select position, body from messages where session_id = ? and position < ? and role = 'user' and ${readable('body')} and coalesce(json_extract(body, '$._source'), '') <> 'steer' order by position desc limit ${rowsAtOnce}`)

  const outlined = ({ body }: { body: string }) => sqlite.prepare<[string, number, number], { position: number, body: string }>(
    // In JSON text a line break is written as the two characters \n, which is what is searched for here.
    `select position, ${body} as body from messages where session_id = ? and position >= ? and position < ? and (role = 'user' or (role = 'assistant' and (instr(body, '\\n#') > 0 or instr(body, '"#') > 0)))
       and ${readable('body')} order by position desc`)
  const longOld = sqlite.prepare<[string, number, number], RowTexts & { position: number }>(
    `select position, body, card, redacted_body as redactedBody, redacted_card as redactedCard from messages where session_id = ? and position >= ? and position < ? and ${hasOldMask()}
       and octet_length(body) + coalesce(octet_length(card), 0) between ${leastLongBytes} and ${largestRowBytes} order by position limit 1`)
  const outlines = { masked: outlined(columnsOf.masked), plain: outlined(columnsOf.plain) }

  const texted = { masked: variant(columnsOf.masked), plain: variant(columnsOf.plain) } satisfies Record<Variant, unknown>

  return {
    in: texted,
    /** Returns the rows of a range in their order. */
    between: (variant: Variant, sessionId: string, from: number, to: number): Iterable<MessageRow> =>
      inPortions<MessageRow>(rowsAtOnce, (last) =>
        texted[variant].between.all(sessionId, last === undefined ? from : last.position + 1, to)),
    /** Returns the first message of a person; empty when none can be read. */
    firstQuestion: (sessionId: string, before: number): string => firstQuestion.get(sessionId, before) ?? '',
    /** Returns the last message of the assistant; empty when it cannot be read. */
    lastAnswer: (sessionId: string, before: number): string => lastAnswer.get(sessionId, before) ?? '',
    /** Returns the messages of people and the assistant, the last first. */
    said: (sessionId: string, before = Number.MAX_SAFE_INTEGER): Iterable<{ body: string, redactedBody: string | null }> =>
      inPortions<{ position: number, body: string, redactedBody: string | null }>(saidAtOnce, (last) =>
        said.all(sessionId, last?.position ?? before)),
    /** Whether masks of earlier rules are still stored; see maskOf. */
    hasOldMasks: (): boolean => oneRow(hasOldMasks) === 1,
    /** Returns the rows of a turn, from a position on, in which its model says something. */
    answers: (sessionId: string, streamId: string, from: number): Array<{ position: number, messageId: string }> =>
      answers.all(sessionId, from, streamId),
    /** Returns the long rows of a range of which masks of earlier rules are stored. */
    longOld: (sessionId: string, from: number, to: number): Iterable<RowTexts> =>
      inPortions<RowTexts & { position: number }>(1, (last) => longOld.all(sessionId, last === undefined ? from : last.position + 1, to)),
    /** Returns the messages of people in a range, and answers that may have headings, the latest first. */
    outlined: (variant: Variant, sessionId: string, from: number, to: number): Array<{ position: number, body: string }> =>
      outlines[variant].all(sessionId, from, to),
    /** Returns the messages with which people began turns, the latest first. */
    requests: (sessionId: string, before = Number.MAX_SAFE_INTEGER): Iterable<{ position: number, body: string }> =>
      inPortions(rowsAtOnce, (last) => requests.all(sessionId, last?.position ?? before))
  }
}

/** Statements that read positions, counts, and what rows are to the model. */
function places (sqlite: Database['sqlite']) {
  const one = oneIn(sqlite)
  const replaysBetween = one<[string, number, number], string | null>(
    'select replay from messages where session_id = ? and position >= ? and position < ? order by position'
  )
  const nthCounted = one<[string, number, number], number>(
    'select position from messages where session_id = ? and counted = 1 and position < ? order by position desc limit 1 offset ?'
  )
  const firstCounted = one<[string, number], number | null>(
    'select min(position) from messages where session_id = ? and counted = 1 and position < ?'
  )
  const questions = one<[string, number, number], number>(
    "select count(*) from messages where session_id = ? and position >= ? and position < ? and role = 'user'"
  )
  const lengthOf = one<[string], number>('select coalesce(max(position) + 1, 0) from messages where session_id = ?')
  const sizeBytes = one<[string, number], number>(
    'select coalesce(sum(octet_length(body)), 0) from messages where session_id = ? and position < ?'
  )
  // The length of a text is stored in the header of its row: none of the text is read for it.
  const reach = one<[string, number, number], number | null>(
    `select max(position) + 1 from (select position, sum(octet_length(body) + coalesce(octet_length(replay), 0)) over (order by position rows between unbounded preceding and 1 preceding) as before
       from messages where session_id = ? and position >= ? and position < ?) where coalesce(before, 0) <= ${bytesAtOnce}`)
  const nthReplay = one<[string, number, number], number>(
    'select position from messages where session_id = ? and position < ? and replay is not null order by position desc limit 1 offset ?'
  )
  const idAt = one<[string, number], string>('select message_id from messages where session_id = ? and position = ?')

  return {
    /** Returns where a portion ends that begins at `from`: the position of the first row that is not part of it. */
    reach: (sessionId: string, from: number, to: number): number => reach.get(sessionId, from, to) ?? to,
    replaysBetween: (sessionId: string, from: number, to: number): Array<string | null> => replaysBetween.all(sessionId, from, to),
    /** Returns the position of the nth counted row before a position, counted backwards from 0. */
    nthCounted: (sessionId: string, before: number, n: number): number | undefined => nthCounted.get(sessionId, before, n),
    firstCounted: (sessionId: string, before: number): number | null => firstCounted.get(sessionId, before) ?? null,
    /** Counts the messages of people in a range. */
    questions: (sessionId: string, from: number, to: number): number => oneRow(questions, sessionId, from, to),
    length: (sessionId: string): number => oneRow(lengthOf, sessionId),
    sizeBytes: (sessionId: string, before: number): number => oneRow(sizeBytes, sessionId, before),
    /** Returns the position of the nth row before a position that the model is shown, counted backwards from 0. */
    nthReplay: (sessionId: string, before: number, n: number): number | undefined => nthReplay.get(sessionId, before, n),
    idAt: (sessionId: string, position: number): string | undefined => idAt.get(sessionId, position)
  }
}
