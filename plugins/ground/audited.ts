import { type Static, type TSchema } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { type AuditPort } from '../../services/areas/audit/index.js'

type Record = AuditPort['soonest']

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Records for the audit log what a request does outside of the database, before it is answered with success, also if another machine
     * did it. What it does in the database is recorded by the service in question, in the same transaction.
     */
    audit?: (request: FastifyRequest, record: Record) => void
  }
}

/**
 * Records what a route does, from the request. `Asked` is the schema of its path combined with that of its body or, for a GET, its query.
 */
export const audited = <Asked extends TSchema>(tell: (asked: Static<Asked>, record: Record, request: FastifyRequest) => void) =>
  (request: FastifyRequest, record: Record): void =>
    // The route's schemas have validated both parts; together they are `Asked`.
    tell({ ...request.params as object, ...(request.method === 'GET' ? request.query : request.body) as object } as Static<Asked>, record, request)
