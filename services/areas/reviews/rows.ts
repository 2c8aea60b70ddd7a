import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { type Anchor } from './following.js'
import { headingOf } from './message.js'

type CommentRow = typeof tables.reviewComments.$inferSelect
export interface Comment extends Omit<CommentRow, 'anchor'> { anchor: Anchor }
export type CommentState = CommentRow['state']

/** The turn of the message in which a comment was sent. `isOver`: whether the turn has ended. */
export interface SentIn { streamId: string, isOver: boolean }

export const stale = (): Conflict => new Conflict('This comment was changed or removed. Read the review again', 'review_changed')

const commentOf = (row: CommentRow): Comment => ({ ...row, anchor: JSON.parse(row.anchor) as Anchor })

/** The tables `review_comments`, `review_texts`, `review_seen` and `reviews`; writes run inside the caller's transaction. */
export function createReviewRows ({ orm, sqlite }: Database) {
  const { reviewComments: comments, reviewTexts: texts, reviewSeen: seen, reviews } = tables
  const raise = sqlite.prepare<[string], number>(
    'insert into reviews (session_id, version) values (?, 1) on conflict do update set version = version + 1 returning version').pluck()
  const counts = sqlite.prepare<[string], { drafts: number, all: number }>(
    "select count(*) filter (where state = 'draft') as drafts, count(*) as \"all\" from review_comments where session_id = ?")
  // The last message that names the comment, and its turn; a message that a person steered into a turn belongs to that turn.
  const sentIn = sqlite.prepare<[{ sessionId: string, mark: string, sinceS: number }], { streamId: string | null, state: string | null }>(
    `select coalesce(begun.id, messages.stream_id) as streamId, coalesce(begun.state, ran.state) as state
     from messages left join streams as begun on begun.user_message_id = messages.message_id left join streams as ran on ran.id = messages.stream_id
     where messages.session_id = @sessionId and role = 'user' and messages.created_at >= @sinceS and json_valid(body)
       and instr(body ->> '$.content', @mark) > 0 order by position desc limit 1`)
  const said = sqlite.prepare<[string, string], string>(
    `select body ->> '$.content' from messages where session_id = ? and stream_id = ? and role = 'assistant' and json_valid(body)
       and coalesce(body ->> '$.content', '') <> '' order by position`).pluck()
  const isQueued = sqlite.prepare<[string, string], number>('select 1 from queue_entries where session_id = ? and instr(message, ?) > 0').pluck()
  const ofSession = (sessionId: string, id: string) => and(eq(comments.sessionId, sessionId), eq(comments.id, id))

  // Prepared once: a change has up to 200 comments, and the event loop waits for all of them. The end of each turn reads the list.
  const { placeholder } = sql
  const byId = orm.select().from(comments)
    .where(and(eq(comments.sessionId, placeholder('sessionId')), eq(comments.id, placeholder('id')))).prepare()
  const ofOne = orm.select().from(comments).where(eq(comments.sessionId, placeholder('sessionId'))).orderBy(sql`rowid`).prepare()
  const inserted = orm.insert(comments).values({
    id: placeholder('id'), sessionId: placeholder('sessionId'), path: placeholder('path'), side: placeholder('side'),
    line: placeholder('line'), endLine: placeholder('endLine'), text: placeholder('text'), anchor: placeholder('anchor'),
    state: placeholder('state'), placePath: placeholder('placePath'), placeText: placeholder('placeText'),
    placeLine: placeholder('placeLine'), placeEnd: placeholder('placeEnd'), sentAt: placeholder('sentAt'),
    streamId: placeholder('streamId'), answer: placeholder('answer'), changedIn: placeholder('changedIn'),
    createdAt: placeholder('createdAt'), version: placeholder('version')
  }).prepare()
  const keptText = orm.insert(texts).values({
    sessionId: placeholder('sessionId'), hash: placeholder('hash'), content: placeholder('content')
  }).onConflictDoNothing().prepare()

  function find (sessionId: string, id: string): Comment | undefined {
    const row = byId.get({ sessionId, id })
    return row && commentOf(row)
  }

  return {
    list: (sessionId: string): Comment[] => ofOne.all({ sessionId }).map(commentOf),
    find,
    /** Throws Conflict (`review_changed`) unless the comment exists in that version; without a version, in any. */
    meant (sessionId: string, { id, version }: { id: string, version?: number | undefined }): Comment {
      const comment = find(sessionId, id)
      if (comment === undefined || (version !== undefined && version !== comment.version)) throw stale()
      return comment
    },
    counts: (sessionId: string) => oneRow(counts, sessionId),
    /** Returns the sessions with comments whose outcome is pending. */
    waiting: (): string[] =>
      // Written out: with a parameter, no plan uses the partial index.
      orm.selectDistinct({ id: comments.sessionId }).from(comments).where(sql`state = 'sent'`).all().map(({ id }) => id),
    version: (sessionId: string): number =>
      orm.select().from(reviews).where(eq(reviews.sessionId, sessionId)).get()?.version ?? 0,

    /** Raises the version of the review for a change, and returns it. */
    raise: (sessionId: string): number => oneRow(raise, sessionId),
    insert: ({ anchor, ...values }: Comment): void => { inserted.run({ ...values, anchor: JSON.stringify(anchor) }) },
    change: ({ sessionId, id }: Pick<Comment, 'sessionId' | 'id'>, values: Partial<Omit<Comment, 'anchor'>>): void => {
      orm.update(comments).set(values).where(ofSession(sessionId, id)).run()
    },
    remove: (sessionId: string, id: string): void => { orm.delete(comments).where(ofSession(sessionId, id)).run() },

    textOf: (sessionId: string, hash: string): string | undefined =>
      orm.select().from(texts).where(and(eq(texts.sessionId, sessionId), eq(texts.hash, hash))).get()?.content,
    keepText: (sessionId: string, hash: string, content: string): void => {
      keptText.run({ sessionId, hash, content })
    },
    /** Deletes texts that no comment refers to any more. */
    sweepTexts: (sessionId: string): void => {
      const used = orm.select({ hash: comments.placeText }).from(comments).where(eq(comments.sessionId, sessionId)).all()
        .flatMap(({ hash }) => hash === null ? [] : [hash])
      orm.delete(texts).where(and(eq(texts.sessionId, sessionId), notInArray(texts.hash, used))).run()
    },

    /** Sorted from oldest to newest. */
    seen: (sessionId: string): Array<{ path: string, version: string }> =>
      orm.select({ path: seen.path, version: seen.version }).from(seen).where(eq(seen.sessionId, sessionId)).orderBy(sql`rowid`).all(),
    see: (sessionId: string, path: string, version: string): void => {
      orm.insert(seen).values({ sessionId, path, version })
        .onConflictDoUpdate({ target: [seen.sessionId, seen.path], set: { version } }).run()
    },
    unsee: (sessionId: string, paths: string[]): void => {
      orm.delete(seen).where(and(eq(seen.sessionId, sessionId), inArray(seen.path, paths))).run()
    },

    /** Returns the turn whose message names the comment; null if no message does. */
    sentIn (sessionId: string, id: string, sinceS: number): SentIn | null {
      const row = sentIn.get({ sessionId, mark: headingOf(id), sinceS })
      return row?.streamId == null ? null : { streamId: row.streamId, isOver: row.state === 'closed' }
    },
    isQueued: (sessionId: string, id: string): boolean => isQueued.get(sessionId, headingOf(id)) !== undefined,
    /** Returns everything that a turn has said. */
    saidIn: (sessionId: string, streamId: string): string => said.all(sessionId, streamId).join('\n\n')
  }
}

export type ReviewRows = ReturnType<typeof createReviewRows>
