// Package joda parses and prints times by the patterns of Joda-Time, which DataVec uses ("YYYY-MM-dd HH:mm:ss"), and
// splits instants into Joda-Time's fields. Times are milliseconds since 1970 in UTC. The calendar is Gregorian, also
// before 1582.
//
// Time zones and the names of months and days are in the binary, so that a time means the same on each machine.
package joda
