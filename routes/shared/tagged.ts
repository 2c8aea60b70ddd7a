import { type RouteOptions } from 'fastify'

/** Returns an `onRoute` hook that gives all routes of a plugin the tag under which the OpenAPI document lists them. */
export const tagged = (tag: string) => (route: RouteOptions): void => {
  route.schema = { tags: [tag], ...route.schema }
}
