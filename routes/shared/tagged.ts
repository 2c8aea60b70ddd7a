import { type RouteOptions } from 'fastify'

/** The `onRoute` hook by which all routes of a plugin get the tag under which the OpenAPI document lists them. */
export const tagged = (tag: string) => (route: RouteOptions): void => {
  route.schema = { tags: [tag], ...route.schema }
}
