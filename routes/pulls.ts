import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { rates } from '../plugins/ground/rate-limit.js'
import { Started } from '../schemas/chat.js'
import { conflicts, errors, SessionQuery } from '../schemas/common.js'
import {
  ForgeBody, ForgeList, ForgeSet, PullAnswer, PullCommentBody, PullDone, PullDraftAnswer, PullDraftBody, PullListAnswer, PullLogAnswer,
  PullLogQuery, PullMendBody, PullMergeBody, PullOpenBody, PullOpened, PullQuery, PullRef, PullResolveBody
} from '../schemas/pulls.js'
import { startedToWire } from '../services/areas/chat/index.js'
import { forgeToWire, logToWire, lookToWire, summaryToWire } from '../services/areas/pulls/index.js'
import { tagged } from './shared/tagged.js'

/** Each call may send several requests to the forge. */
const looking = { scope: 'read', rateLimit: { max: 120, timeWindow: '1 minute' } } as const
const asking = { ...errors(400, 404, 429, 502, 503), ...conflicts('forge_refused') }
const acting = errors(400, 403, 404, 502, 503)
const elsewhere = ' 400 `no_forge`, `no_forge_token`, `auth_failed` or `network_failed`; 503 `forge_limited` with `Retry-After`.'

/** Pull requests of the repository that a session works in, on the forge of its remote. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('pulls'))
  await app.register(reading)
  await app.register(opening)
  await app.register(reviewing)
  await app.register(ending)
  await app.register(forges)
}
export default plugin

/** The state of pull requests. */
const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { pulls } = app

  app.get('/api/pulls/show', {
    config: looking,
    schema: {
      summary: 'Get the pull request of the branch, with its checks and comments',
      description: '`reason` says why pull requests are not available. Texts come from the forge, with credentials masked. While ' +
        'someone looks at it, ask again after `next_look_s`: unchanged data does not count against the limits of the forge. 400 ' +
        '`auth_failed` or `network_failed`; 503 `forge_limited` with `Retry-After`.',
      querystring: PullQuery,
      response: { 200: PullAnswer, ...asking }
    }
  }, async ({ query: { session_id: id, number } }) => lookToWire(await pulls.look(id, number === undefined ? null : Number(number))))

  app.get('/api/pulls', {
    config: looking,
    schema: {
      summary: 'List the open pull requests of the repository',
      description: 'Newest first, at most 50.' + elsewhere,
      querystring: SessionQuery,
      response: { 200: PullListAnswer, ...asking }
    }
  }, async ({ query }) => ({ pulls: (await pulls.list(query.session_id)).map(summaryToWire) }))

  app.get('/api/pulls/log', {
    config: looking,
    schema: {
      summary: 'Get the end of the log of a check',
      description: 'At most 48 KiB, without colours, with credentials masked. 404: the check no longer exists.' + elsewhere,
      querystring: PullLogQuery,
      response: { 200: PullLogAnswer, ...asking }
    }
  }, async ({ query: { session_id: id, number, check } }) => logToWire(await pulls.log(id, Number(number), check)))
}

/** Opening a pull request for a branch. */
const opening: FastifyPluginAsyncTypebox = async (app) => {
  const { pulls } = app

  app.post('/api/pulls/draft', {
    config: { scope: 'chat', rateLimit: rates.model },
    schema: {
      summary: 'Propose a title and a text for a pull request of the branch',
      description: 'Opens nothing. `source: summary`: made without a model. Credentials are masked for the model. 409 `budget_used_up`.' + elsewhere,
      body: PullDraftBody,
      response: { 200: PullDraftAnswer, ...errors(400, 404, 429, 502, 503), ...conflicts('forge_refused', 'budget_used_up') }
    }
  }, async ({ body }) => await pulls.draft(body.session_id, body.base === '' ? null : body.base ?? null))

  app.post('/api/pulls/open', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Open a pull request for the branch',
      description: 'Push the branch first: 400 `no_upstream`. `notes` names extra steps that failed. 409 `exists`: the branch has an ' +
        'open one; 409 `forge_refused` quotes the forge; 403 `destructive_git_disabled`.' + elsewhere,
      body: PullOpenBody,
      response: { 200: PullOpened, ...acting, ...conflicts('exists', 'forge_refused') }
    }
  }, async ({ body: { session_id: id, title, body, base, draft, reviewers, labels } }) => ({
    ok: true as const,
    ...await pulls.open(id, { title, body: body ?? '', base, isDraft: draft ?? false, reviewers: reviewers ?? [], labels: labels ?? [] })
  }))

  app.post('/api/pulls/ready', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Make a draft ready for review',
      description: 'Has no effect on a pull request that is not a draft. 403 `destructive_git_disabled`; 409 `forge_refused`.' + elsewhere,
      body: PullRef,
      response: { 200: PullDone, ...acting, ...conflicts('forge_refused') }
    }
  }, async ({ body }) => {
    await pulls.ready(body.session_id, body.number)
    return { ok: true as const }
  })
}

/** Comments, and acting on them. */
const reviewing: FastifyPluginAsyncTypebox = async (app) => {
  const { chat, idempotency, pulls } = app

  app.post('/api/pulls/comment', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Reply to a comment, or comment on the pull request',
      description: 'Posted as the owner of the token. 404: the thread no longer exists. 403 ' +
        '`destructive_git_disabled`; 409 `forge_refused`.' + elsewhere,
      body: PullCommentBody,
      response: { 200: PullDone, ...acting, ...conflicts('forge_refused') }
    }
  }, async ({ body: { session_id: id, number, thread, body } }) => {
    await pulls.comment(id, number, thread ?? null, body)
    return { ok: true as const }
  })

  app.post('/api/pulls/resolve', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Resolve a thread of comments, or reopen it',
      description: '400 for a thread that cannot be resolved. 409 `forge_refused`: the forge does not support it. 403 ' +
        '`destructive_git_disabled`.' + elsewhere,
      body: PullResolveBody,
      response: { 200: PullDone, ...acting, ...conflicts('forge_refused') }
    }
  }, async ({ body }) => {
    await pulls.resolve(body.session_id, body.number, body.thread, body.resolved)
    return { ok: true as const }
  })

  app.post('/api/pulls/mend', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Start a turn that fixes failed checks, or addresses comments',
      description: 'The message of the turn contains the ends of the logs and the comments, marked as foreign material. Nothing is ' +
        'pushed. 409 with `active_stream_id` while a turn runs; 409 `client_id_reused`; 404: a check or comment no longer exists.' + elsewhere,
      body: PullMendBody,
      response: { 200: Started, ...acting, ...conflicts('client_id_reused', 'forge_refused', 'worktree_leaving', 'uncoded') }
    }
  }, async ({ body }) => {
    const { client_id: clientId, ...asked } = body
    const { session_id: sessionId, number, checks, threads, message } = asked
    return await idempotency.once<Static<typeof Started>>({
      of: { session: sessionId }, clientId, operation: 'pulls/mend', asked
    }, async (keep) => startedToWire(await chat.send({
      sessionId,
      source: 'pull_request',
      message: await pulls.requestToMend(sessionId, number, { checks: checks ?? [], threads: threads ?? [], asked: message ?? '' }),
      explicitModelPick: false,
      attachments: [],
      accepted: (turn) => keep(startedToWire(turn))
    })))
  })
}

/** Merging or closing a pull request. */
const ending: FastifyPluginAsyncTypebox = async (app) => {
  const { pulls } = app

  app.post('/api/pulls/merge', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Merge a pull request at the commit that was reviewed',
      description: 'Merges exactly `sha`: 409 `pull_changed` if other commits were pushed; 409 `pull_closed` if it is already merged or ' +
        'closed. 400: the repository does not allow `method`. 409 `forge_refused` quotes the forge; 403 `destructive_git_disabled`.' + elsewhere,
      body: PullMergeBody,
      response: { 200: PullDone, ...acting, ...conflicts('forge_refused', 'pull_changed', 'pull_closed') }
    }
  }, async ({ body: { session_id: id, number, sha, method } }) => {
    await pulls.merge(id, number, sha, method)
    return { ok: true as const }
  })

  app.post('/api/pulls/close', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Close a pull request without merging it',
      description: '409 `pull_closed` if it is already merged or closed. 403 `destructive_git_disabled`; 409 `forge_refused`.' + elsewhere,
      body: PullRef,
      response: { 200: PullDone, ...acting, ...conflicts('forge_refused', 'pull_closed') }
    }
  }, async ({ body }) => {
    await pulls.close(body.session_id, body.number)
    return { ok: true as const }
  })
}

/** The forges of a profile. */
const forges: FastifyPluginAsyncTypebox = async (app) => {
  const { pulls } = app

  app.get('/api/forges', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the forges of the profile',
      description: 'Forges that the profile names, or has a token for. Tokens are never shown.',
      response: { 200: ForgeList }
    }
  }, async (request) => ({ forges: (await pulls.forges(request.activeProfile())).map(forgeToWire) }))

  app.post('/api/forges', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set the type, the address and the token of a forge',
      description: 'The token is stored in the .env of the profile and sent only to this host: send it again with a new `url`. Private ' +
        'addresses need `SVC_WEBUI_WEBHOOK_PRIVATE=1`. 409 `config_broken`.',
      body: ForgeBody,
      response: { 200: ForgeSet, ...errors(400), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { host, kind, url, token } = request.body
    const forge = await pulls.setForge(request.activeProfile(), {
      host, kind: kind ?? undefined, url: url == null || url === '' ? undefined : url, token: token ?? undefined
    })
    return { ok: true as const, forge: forgeToWire(forge) }
  })
}
