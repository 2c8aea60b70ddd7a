import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../services/ground/assets.js'
import { answerRuns, Skills } from '../services/skills/index.js'

declare module 'fastify' {
  interface FastifyInstance { skills: Skills }
}

/** Instructions for particular kinds of work, and what runs want of them. */
export default fp(async (app: FastifyInstance) => {
  const { agent, clock, config, log, profiles } = app
  const skills = new Skills({
    profiles, clock, userHome: config.userHome, shipped: asset('skills'), platform: process.platform, log: (message, details) => log.warn(details, message)
  })
  answerRuns(skills, agent)
  app.decorate('skills', skills)
  app.addHook('onClose', async () => await skills.usage.flush())
}, { name: 'skills', dependencies: ['config', 'database', 'profiles', 'agent'] })
