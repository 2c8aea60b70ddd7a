import { type FastifyBaseLogger, type FastifyServerOptions } from 'fastify'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
type Factory = NonNullable<FastifyServerOptions['childLoggerFactory']>
type Named = Parameters<Factory>

/** Logger of a request, whose lines name the request. Few requests log anything, so the child logger is created on first use. */
class RequestLogger implements FastifyBaseLogger {
  private made: FastifyBaseLogger | undefined

  constructor (private readonly parent: Named[0], private readonly bindings: Named[1], private readonly options: Named[2]) {}

  get level (): string { return this.own().level }
  set level (level: string) { this.own().level = level }

  child (...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger { return this.own().child(...given) }

  fatal (...said: unknown[]): void { this.say('fatal', said) }
  error (...said: unknown[]): void { this.say('error', said) }
  warn (...said: unknown[]): void { this.say('warn', said) }
  info (...said: unknown[]): void { this.say('info', said) }
  debug (...said: unknown[]): void { this.say('debug', said) }
  trace (...said: unknown[]): void { this.say('trace', said) }
  silent (...said: unknown[]): void { this.say('silent', said) }

  private say (level: Level, said: unknown[]): void {
    const own = this.own()
    Reflect.apply(own[level], own, said)
  }

  private own (): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings, this.options)
    return this.made
  }
}

export const requestLogger: Factory = (parent, bindings, options) => new RequestLogger(parent, bindings, options)
