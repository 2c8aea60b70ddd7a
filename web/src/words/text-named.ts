/** Returns the text of a name; `otherwise` if there is none, as for a name that a person chose, even `constructor`, which every object has. */
export const textNamed = (texts: Readonly<Record<string, string>>, name: string, otherwise = name): string =>
  Object.hasOwn(texts, name) ? texts[name] ?? otherwise : otherwise
