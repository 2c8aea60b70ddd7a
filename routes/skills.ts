import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { audited } from '../plugins/ground/audited.js'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { conflicts, errors } from '../schemas/common.js'
import {
  DeletedSkill, DeleteSkill, NoSkill, SavedSkill, SaveSkill, SkillFile, SkillList, SkillQuery, SkillsQuery, SkillUsage, SkillView,
  ToggledSkill, ToggleSkill
} from '../schemas/skills.js'
import { NotFound } from '../services/ground/errors.js'
import { skillToWire, usageToWire, versionOf } from '../services/areas/skills/index.js'
import { tagged } from './shared/tagged.js'

/** Skills of a profile: listing and reading them, then saving, deleting and switching them. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('skills'))
  await app.register(reading)
  await app.register(changing)
}
export default plugin

const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { skills } = app

  app.get('/api/skills', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the skills of the profile',
      description: 'Skills of the profile, of other folders, of plugins and of this service; of several with the same name, the first ' +
        'counts. `warning` says what is wrong with a file. `category` filters.',
      querystring: SkillsQuery,
      response: { 200: SkillList, ...errors(400) }
    }
  }, async (request) => {
    const { category } = request.query
    const found = await skills.list(request.activeProfile())
    return { skills: found.filter((skill) => category === undefined || category === '' || skill.category === category).map(skillToWire) }
  })

  app.get('/api/skills/content', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get a skill, or a file of one',
      description: 'An unknown skill is a 404 with `success: false` beside the error.',
      querystring: SkillQuery,
      response: { 200: Type.Union([SkillView, SkillFile]), 404: NoSkill, ...errors(400, 403) }
    }
  }, async (request) => {
    const { name, file } = request.query
    const profile = request.activeProfile()
    try {
      if (file !== undefined && file !== '') return await skills.file(profile, name, file)
      const { skill, content, linked } = await skills.read(profile, name)
      return { success: true as const, ...skillToWire(skill), content, version: versionOf(content), linked_files: linked }
    } catch (error) {
      throw error instanceof NotFound ? new NotFound(error.message, error.code, { ...error.details, success: false }) : error
    }
  })

  app.get('/api/skills/usage', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the usage counts of skills',
      description: 'By name of the skill; `skill_names` lists all skills of the profile.',
      response: { 200: SkillUsage }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    return usageToWire(skills.counts(profile), await skills.list(profile))
  })
}

const changing: FastifyPluginAsyncTypebox = async (app) => {
  const { skills } = app

  app.post('/api/skills/save', {
    config: {
      scope: 'admin', audit: audited<typeof SaveSkill>(({ name: skill }, record, request) =>
        record('skill.saved', { profile: request.activeProfile(), skill }))
    },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Save a skill of the profile',
      description: 'An existing skill is replaced in its folder. A text that departs from the Agent Skills specification is saved, and listed ' +
        'with a `warning`. Send the `version` that was read: 409 `changed` if the skill has changed since; 409 `exists` if another ' +
        'category has this name. 503 `disk_full`.',
      body: SaveSkill,
      response: { 200: SavedSkill, ...errors(400, 403, 404, 413, 503), ...conflicts('exists', 'changed') }
    }
  }, async (request) => {
    const { name, content, category, version } = request.body
    return {
      ok: true as const,
      ...await skills.save(request.activeProfile(), { name, content, category: category ?? null, expected: version ?? null })
    }
  })

  app.post('/api/skills/delete', {
    config: {
      scope: 'admin', audit: audited<typeof DeleteSkill>(({ name: skill }, record, request) =>
        record('skill.deleted', { profile: request.activeProfile(), skill }))
    },
    schema: {
      summary: 'Delete a skill of the profile, with all its files',
      description: 'This cannot be undone. 403 `read_only` for a skill that does not belong to the profile. 404: unknown skill.',
      body: DeleteSkill,
      response: { 200: DeletedSkill, ...errors(400, 403, 404) }
    }
  }, async (request) => ({ ok: true as const, name: await skills.remove(request.activeProfile(), request.body.name) }))

  app.post('/api/skills/toggle', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Switch a skill on or off',
      description: 'Writes `skills.disabled` of the profile\'s config.yaml, and `skills.platform_disabled.webui` if that list exists.',
      body: ToggleSkill,
      response: { 200: ToggledSkill, ...errors(400, 404), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { name, enabled } = request.body
    return { ok: true as const, name: await skills.toggle(request.activeProfile(), name, enabled), enabled }
  })
}
