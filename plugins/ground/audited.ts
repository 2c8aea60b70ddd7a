import { type Static, type TSchema } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { type AuditPort } from '../../services/areas/audit/index.js'

type Record = AuditPort['soonest']

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a request does outside of the database, for the audit log: recorded before it is answered with success, also where another
     * machine has done it. What is done in the database is recorded by its service, in the same transaction.
     */
    audit?: (request: FastifyRequest, record: Record) => void
  }
}

/** Records what a route does, as its request says it: `Asked` is the schema of its path, and of its body or, of a GET, its query. */
export const audited = <Asked extends TSchema>(tell: (asked: Static<Asked>, record: Record, request: FastifyRequest) => void) =>
  (request: FastifyRequest, record: Record): void =>
    // The schemas of its route have held: what they are together is `Asked`.
    tell({ ...request.params as object, ...(request.method === 'GET' ? request.query : request.body) as object } as Static<Asked>, record, request)
