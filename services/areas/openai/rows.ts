import { eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type ResponseRow = typeof tables.responses.$inferSelect

/** The statements of the table `responses`. */
export function createResponseRows ({ orm }: Pick<Database, 'orm'>) {
  const { responses } = tables
  const byStream = orm.select().from(responses).where(eq(responses.streamId, sql.placeholder('streamId'))).prepare()
  return {
    find: (streamId: string): ResponseRow | undefined => byStream.get({ streamId }),
    insert: (row: ResponseRow): void => { orm.insert(responses).values(row).run() }
  }
}
