import { type Static, type TSchema } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { type AuditPort } from '../../services/areas/audit/index.js'

type Record = AuditPort['soonest']

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Records in the audit log what a request has done outside the database, before it is answered with success, even if another
     * machine has done it. Changes in the database are recorded by their service, in the same transaction.
     */
    audit?: (request: FastifyRequest, record: Record) => void
  }
}

/** Records what a route does, from its request: `Asked` is the schema of its path together with its body, or with its query for a GET. */
export const audited = <Asked extends TSchema>(tell: (asked: Static<Asked>, record: Record, request: FastifyRequest) => void) =>
  (request: FastifyRequest, record: Record): void =>
    // The request has been validated against the schemas of its route, which together are `Asked`.
    tell({ ...request.params as object, ...(request.method === 'GET' ? request.query : request.body) as object } as Static<Asked>, record, request)
