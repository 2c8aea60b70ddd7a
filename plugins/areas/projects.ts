import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createProjects, type Projects } from '../../services/areas/projects/index.js'

declare module 'fastify' {
  interface FastifyInstance { projects: Projects }
}

/** Folders of sessions. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, clock, sessions } = app
  app.decorate('projects', createProjects({ db, clock, audit, sessions }))
}, { name: 'projects', dependencies: ['audit', 'database', 'sessions'] })
