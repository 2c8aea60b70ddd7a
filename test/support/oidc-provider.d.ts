/** The parts of it that are used here; it has no types. */
declare module 'oidc-provider' {
  import { type IncomingMessage, type ServerResponse } from 'node:http'

  export default class Provider {
    constructor (issuer: string, configuration: object)
    readonly Grant: new (of: { accountId: string, clientId: string }) => { addOIDCScope (scope: string): void, addResourceScope (resource: string, scope: string): void, save (): Promise<string> }
    readonly AccessToken: { find (token: string): Promise<{ aud?: string | string[] } | undefined> }
    callback (): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails (request: IncomingMessage, response: ServerResponse): Promise<{ prompt: { name: string }, params: { client_id: string, resource?: string, scope?: string } }>
    interactionFinished (request: IncomingMessage, response: ServerResponse, result: object, options: { mergeWithLastSubmission: boolean }): Promise<void>
  }
}
