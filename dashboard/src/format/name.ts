// Names of somebody's own choice, within a sentence of ours.

const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** A name of the catalogue as people write it: `Côte d’Ivoire`. The API keeps its plain sign. */
export const asWritten = (name: string): string => name.replaceAll("'", '\u2019')

/**
 * Kept apart from the direction of the sentence around it. Whoever has a turning sign in their name
 * ends nothing with it, and turns no word of ours.
 */
export const isolated = (name: string): string => `\u2068${name.replace(turning, '')}\u2069`
