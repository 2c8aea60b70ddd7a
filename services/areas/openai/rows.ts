import { eq, getTableColumns, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type ResponseRow = typeof tables.responses.$inferSelect

/** The statements of the table `responses`; writes run in the transaction of their turn. */
export function createResponseRows ({ orm }: Pick<Database, 'orm'>) {
  const { responses, streams } = tables
  // The model that answers is known only once the turn has begun.
  const byStream = orm.select({ ...getTableColumns(responses), model: sql<string>`coalesce(${streams.model}, ${responses.model})` })
    .from(responses).innerJoin(streams, eq(streams.id, responses.streamId))
    .where(eq(responses.streamId, sql.placeholder('streamId'))).prepare()
  return {
    find: (streamId: string): ResponseRow | undefined => byStream.get({ streamId }),
    insert: (row: ResponseRow): void => { orm.insert(responses).values(row).run() }
  }
}
