import type { Anything } from './anything';

/** The type of a value that fits a JSON Schema whose own type is known, such as a TypeBox schema's.
 *  What the schema leaves open is `unknown`; what has no known type is left open altogether. */
export type Static<Schema> = 0 extends 1 & Schema
  ? Anything
  : Schema extends { '~unsafe': infer Value }
    ? Value
    : Schema extends { const: infer Value }
      ? Value
      : Schema extends { enum: readonly (infer Value)[] }
        ? Value
        : Schema extends { anyOf: readonly (infer Member)[] }
          ? StaticOfEach<Member>
          : StaticByType<Schema>;

type StaticOfEach<Member> = Member extends unknown ? Static<Member> : never;

type StaticByType<Schema> = Schema extends { type: 'object'; properties: infer Properties }
  ? StaticObject<Properties>
  : Schema extends { type: 'array'; items: infer Item }
    ? Static<Item>[]
    : Schema extends { type: keyof Primitive }
      ? Primitive[Schema['type']]
      : Schema extends { type: 'object' }
        ? Record<string, Anything>
        : unknown;

interface Primitive {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** TypeBox marks what may be missing on the property itself. */
type OptionalKey<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { '~optional': true } ? Key : never;
}[keyof Properties];

type StaticObject<Properties> = Flat<
  { [Key in Exclude<keyof Properties, OptionalKey<Properties>>]: Static<Properties[Key]> } & {
    [Key in OptionalKey<Properties>]?: Static<Properties[Key]>;
  }
>;

type Flat<T> = { [Key in keyof T]: T[Key] };
