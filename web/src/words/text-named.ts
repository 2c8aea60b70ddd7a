/** Returns the text of a name; `otherwise` if the name has none, such as one that a person chose: also `constructor`, which every object has. */
export const textNamed = (texts: Readonly<Record<string, string>>, name: string, otherwise = name): string =>
  Object.hasOwn(texts, name) ? texts[name] ?? otherwise : otherwise
